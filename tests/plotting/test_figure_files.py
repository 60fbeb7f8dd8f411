"""Files appear whole or not at all, and equal figures make equal files."""

import base64
import struct
import subprocess
import sys

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import plotting

SUFFIXES = [".png", ".svg", ".pdf"]


def draw():
    figure, grid = plotting.figure(1, 2)
    world = fo.small_room()
    plotting.heat_map(grid[0, 0], world, np.linspace(0, 1, world.num_states), label="F")
    plotting.mean_curve(grid[0, 1], np.arange(3), np.ones((2, 3)), label="a")
    return figure


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_figures_make_equal_bytes(tmp_path, suffix):
    first = plotting.save(draw(), tmp_path / f"first{suffix}")
    second = plotting.save(draw(), str(tmp_path / f"second{suffix}"))
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size > 1000
    assert {path.name for path in tmp_path.iterdir()} == {f"first{suffix}", f"second{suffix}"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_hold_no_dates(tmp_path, suffix):
    content = plotting.save(draw(), tmp_path / f"figure{suffix}").read_bytes()
    assert b"Date" not in content
    assert b"dc:date" not in content


def test_saving_leaves_the_settings_alone(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    plotting.save(draw(), tmp_path / "figure.svg")
    assert dict(matplotlib.rcParams) == before


def test_an_existing_file_survives_a_failing_drawing(tmp_path, monkeypatch):
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    figure = draw()

    def fail(*args, **kwargs):
        raise RuntimeError("no ink")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="no ink"):
        plotting.save(figure, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_survives_a_failing_disk(tmp_path, monkeypatch):
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        plotting.save(draw(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "figure.PNG"
    path.write_bytes(b"old")
    assert plotting.save(draw(), path) == path
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["plan.txt", "plan", "plan.png.bak"])
def test_other_suffixes_are_refused(name):
    with pytest.raises(fo.InputError) as caught:
        plotting.save(draw(), name)
    assert str(caught.value) == f"save: path must end in .png, .svg or .pdf, got '{name}'"


def test_a_missing_folder_is_the_systems_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        plotting.save(draw(), tmp_path / "missing" / "figure.png")


def loaded(code):
    """Return which of matplotlib and its pyplot a fresh interpreter has after the code."""
    report = "import sys; print([m in sys.modules for m in ('matplotlib', 'matplotlib.pyplot')])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_computing_does_not_import_matplotlib():
    assert loaded("import first_occupancy") == "[False, False]"


def test_plotting_and_saving_do_not_import_pyplot(tmp_path):
    code = f"""
import numpy as np
import first_occupancy as fo
from first_occupancy import plotting
world = fo.small_room()
for suffix in ("png", "svg", "pdf"):
    figure, grid = plotting.figure(1, 2)
    plotting.heat_map(grid[0, 0], world, np.linspace(0, 1, world.num_states), label="F")
    plotting.mean_curve(grid[0, 1], np.arange(3), np.ones((2, 3)))
    plotting.save(figure, {str(tmp_path)!r} + "/figure." + suffix)
    plotting.save(plotting.mdp_figure(fo.river_swim(3)), {str(tmp_path)!r} + "/chain." + suffix)
    plotting.save(plotting.tour_figure(world, [[0, 1]], [1]), {str(tmp_path)!r} + "/t." + suffix)
"""
    assert loaded(code) == "[True, False]"


def test_figures_show_themselves_at_half_of_their_pixels():
    for figure in (
        plotting.figure(size=(3, 2))[0],
        plotting.mdp_figure(fo.river_swim(3)),
        plotting.tour_figure(fo.maze(".."), [[0, 1]], [1]),
    ):
        assert isinstance(figure, plotting.NotebookFigure)
        picture, about = figure._repr_png_()
        content = base64.b64decode(picture)
        assert content.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", content[16:24])
        assert abs(width - 2 * about["width"]) <= 2
        assert abs(height - 2 * about["height"]) <= 2
