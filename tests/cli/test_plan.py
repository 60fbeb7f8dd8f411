import pytest

from first_occupancy.cli.main import main

ROOMS = "S.#.G\n..#..\n.....\n"


@pytest.fixture
def plan(tmp_path, capsys, monkeypatch):
    """Run `plan` on a drawing in an empty folder; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(drawing: str | bytes, *options: str) -> tuple[int, str, str]:
        (tmp_path / "maze.txt").write_bytes(
            drawing if isinstance(drawing, bytes) else drawing.encode()
        )
        code = main(["plan", "maze.txt", *options])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_prints_legs_and_a_picture(plan):
    code, out, err = plan(ROOMS)
    assert (code, err) == (0, "")
    assert "down       until (2, 0)      2 steps" in out
    assert "up         until (0, 4)      2 steps  goal" in out
    assert out.endswith("S·█·G\n↓·█·↑\n→→→→↑\n")
    assert "expected discount 0.6634" in out  # .95 ** 8


def test_start_and_goals_from_options_and_order_of_many_goals(plan):
    _, out, _ = plan("....\n", "--start", "0,1", "--goal", "0,3", "--goal", "0,0")
    assert out.splitlines()[-1] == "1S→2"


def test_fewer_switches_take_what_there_is(plan):
    code, _, err = plan(ROOMS, "--switches", "0")
    assert code == 2
    assert err == (
        "first-occupancy plan: goal (0, 4) must be reachable from start (0, 0), but no single "
        "base policy leads there, and --switches 0 allows no switch\n"
    )
    assert plan(ROOMS, "--switches", "1")[2].endswith(
        "but no sequence of the base policies leads there with at most 1 switches\n"
    )


def test_a_discount_of_nothing_says_what_it_means(plan):
    code, _, err = plan("S.G\n", "--discount", "0")
    assert (code, err) == (
        2,
        "first-occupancy plan: goal (0, 2) must be reachable from start (0, 0), but with "
        "--discount 0 every goal that takes a step has value 0\n",
    )
    assert plan("S.G\n", "--discount", "0", "--goal", "0,0")[0] == 0


def test_noise_says_what_following_brings(plan):
    _, out, _ = plan(ROOMS, "--noise", "0.2")
    values = [float(line.split()[-1]) for line in out.splitlines()[-3:]]
    assert values[2] >= values[0] >= values[1] > 0


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
@pytest.mark.parametrize("drawing", [ROOMS, "SG.G\n", "S\n"])
def test_saves_a_picture(plan, tmp_path, suffix, drawing):
    options = ["--goal", "0,0"] if "G" not in drawing else []
    code, out, _ = plan(drawing, "--out", f"plan.{suffix}", *options)
    assert code == 0
    assert f"saved plan.{suffix}" in out
    assert (tmp_path / f"plan.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("drawing", "options", "message"),
    [
        (
            "S..\n.G\n",
            [],
            "maze: all lines must be equally long, got 3 characters in line 1 and 2 in line 2",
        ),
        (
            "S?G\n",
            [],
            "maze: characters must be '#', '.', ' ', 'S', 'G', one of '^>v<' or a digit from 1 to "
            "9, got '?' in line 1, column 2",
        ),
        ("###\n", [], "maze: the drawing must have a free cell, got walls only"),
        ("", [], "maze.txt: must hold a drawing, but is empty"),
        ("\n\n", [], "maze.txt: must hold a drawing, but is empty"),
        (b"\xff\xfe\x00", [], "maze.txt: must be a text file, got bytes that are not UTF-8"),
        ("SSG\n", [], "maze: the drawing must have at most one start 'S', got 2"),
        ("..G\n", [], "maze needs a start: draw an 'S' or give --start ROW,COLUMN"),
        ("S..\n", [], "maze needs a goal: draw a 'G' or give --goal ROW,COLUMN"),
        ("S#G\n", ["--start", "0,1"], "--start: state: cell (0, 1) must be free, but is a wall"),
        (
            "S.G\n",
            ["--goal", "5,0"],
            "--goal: state: cell must lie in the 1 x 3 drawing, got (5, 0)",
        ),
        ("S.G\n", ["--goal", "x"], "--goal must be ROW,COLUMN, both from 0, got 'x'"),
        (
            "S.G\n",
            ["--discount", "1.5"],
            "plan: discount must be at least 0 and at most 1, got 1.5",
        ),
        (
            "S.G\n",
            ["--discount", "nan", "--noise", "0.5"],
            "plan: discount must be at least 0 and at most 1, got nan",
        ),
        ("S.G\n", ["--noise", "2"], "maze: noise must be at least 0 and at most 1, got 2.0"),
        (
            "S.G\n",
            ["--switches", "-1"],
            "plan: max_switches must be None or an integer of at least 0, got -1",
        ),
        (
            "S.G\n",
            ["--out", "plan.txt"],
            "save: path must end in .png, .svg or .pdf, got 'plan.txt'",
        ),
        (
            "S.G\n",
            ["--out", "no/p.png"],
            "--out must be in an existing folder, got 'no/p.png'",
        ),
        (
            "S#G\n",
            [],
            "goal (0, 2) must be reachable from start (0, 0), but no sequence of the base "
            "policies leads there",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(plan, drawing, options, message):
    code, _, err = plan(drawing, *options)
    assert code == 2
    assert err == f"first-occupancy plan: {message}\n"


def test_a_missing_file_is_one_line(capsys):
    assert main(["plan", "no-such.txt"]) == 2
    assert capsys.readouterr().err == (
        "first-occupancy plan: no-such.txt: No such file or directory\n"
    )


def test_an_existing_picture_survives_bad_input(plan, tmp_path):
    picture = tmp_path / "plan.png"
    picture.write_bytes(b"precious")
    assert plan("S#G\n", "--out", "plan.png")[0] == 2
    assert picture.read_bytes() == b"precious"
