"""Images become mazes: dark pixels are walls, greys may be costs."""

import numpy as np
import pytest
from PIL import Image

from first_occupancy.core import InputError
from first_occupancy.environments import map_images
from first_occupancy.environments.map_images import brightness_of, from_image

GREYS = np.array([[0, 255], [128, 100]], np.uint8)


@pytest.fixture
def path(tmp_path):
    Image.fromarray(GREYS).save(tmp_path / "map.png")
    return tmp_path / "map.png"


def test_dark_pixels_are_walls(path):
    assert from_image(path, corners="allow").drawing == "#.\n.#"
    assert from_image(path, threshold=0.3).drawing == "#.\n.."
    assert from_image(path, threshold=0.0).drawing == "..\n.."
    marked = from_image(path, threshold=0.3, start=(1, 1), goals=[(0, 1)], noise=0.1)
    assert (marked.drawing, marked.noise) == ("#G\n.S", 0.1)


def test_greys_cost_more_the_darker_they_are(path):
    world = from_image(path, threshold=100 / 255, costs=5.0)
    expected = [1, 1 + 4 * (255 - 128) / 155, 5]
    np.testing.assert_allclose(world.entry_times, expected)
    np.testing.assert_allclose(world.durations[:, world.action_names.index("down")][0], 5)
    own = from_image(path, threshold=0.3, costs=np.array([[0, 1], [2.5, 1]]))
    assert own.entry_times.tolist() == [1, 2.5, 1]
    assert from_image(path, threshold=0.3, costs=1.0).entry_times is None


def test_one_way_cells_are_named(path):
    world = from_image(path, threshold=0.0, one_way={(0, 1): "down", (1, 0): "up"})
    assert world.drawing == ".v\n^."


def test_transparent_pixels_are_free(tmp_path):
    pixels = np.zeros((1, 2, 4), np.uint8)
    pixels[0, 1, 3] = 255
    Image.fromarray(pixels).save(tmp_path / "map.png")
    assert from_image(tmp_path / "map.png").drawing == ".#"
    assert brightness_of(tmp_path / "map.png")[1].tolist() == [[True, False]]


def test_mistakes_are_named(path, error_of):
    for options, said in (
        ({"start": (0, 0)}, "start must be a free cell (row, column) of the 2 x 2 map, got (0, 0)"),
        ({"goals": [(2, 0)]}, "goals must be a free cell (row, column) of the 2 x 2 map, got (2, "),
        ({"one_way": {(0, 1): "east"}}, "one_way must name moves, one of up, right, down, left, g"),
        ({"costs": -1.0}, "costs must be finite and above 0, got -1.0"),
        ({"costs": np.zeros((2, 2))}, "costs must be finite and above 0, got 0.0"),
        ({"costs": np.ones((3, 2))}, "costs must have the map's shape [2, 2], got [3, 2]"),
        ({"threshold": 2.0}, "threshold must be at least 0 and at most 1, got 2.0"),
    ):
        assert error_of(lambda given=options: from_image(path, **given)).startswith(
            f"from_image: {said}"
        )


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "map.png"
    path.write_bytes(b"no image")
    with pytest.raises(InputError) as caught:
        from_image(path)
    assert str(caught.value) == f"{path}: must be an image, but is damaged or of another kind"
    with pytest.raises(FileNotFoundError):
        from_image(tmp_path / "none.png")


def test_large_and_truncated_images_are_told_apart(tmp_path, monkeypatch):
    path = tmp_path / "map.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (40, 50), np.uint8)).save(path)
    monkeypatch.setattr(map_images, "LARGEST", 1999)
    with pytest.raises(InputError) as caught:
        brightness_of(path)
    assert str(caught.value) == f"{path}: must have at most 1,999 pixels, got 50 x 40"
    monkeypatch.setattr(map_images, "LARGEST", 2000)
    assert brightness_of(path)[0].shape == (40, 50)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InputError, match="must be an image, but is damaged"):
        brightness_of(path)
