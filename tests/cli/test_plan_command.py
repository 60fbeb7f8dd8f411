import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from first_occupancy.cli.main import main
from first_occupancy.planning.plan_files import load_plans

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


def test_one_way_cells_and_costs_change_the_way(plan):
    drawing = "S5G\n.v.\n...\n"
    _, out, _ = plan(drawing)
    assert "right      until (0, 2)      2 steps, time 6  goal" in out
    _, out, _ = plan(drawing.replace("5", "9"))
    assert out.endswith("S·G\n↓·↑\n→→↑\n")
    assert "until (2, 0)      2 steps, time 2\n" in out


def test_corners_are_cut_only_if_allowed(plan):
    drawing = "S#\n#G\n"
    assert plan(drawing, "--moves", "8")[0] == 2
    assert plan(drawing, "--moves", "8", "--corners", "allow")[0] == 0
    past = "S.\n#G\n"
    assert "1 step" in plan(past, "--moves", "8")[1]
    assert "right      until (0, 1)" in plan(past, "--moves", "8", "--corners", "strict")[1]


def test_a_tour_may_return_and_may_have_a_last_goal(plan):
    _, out, _ = plan("G.S..G\n", "--return")
    assert (out.count("  goal\n"), out.count("  start\n")) == (2, 1)
    assert "expected discount 0.5987" in out  # .95 ** 10
    _, out, _ = plan("G.S..G\n", "--last", "0,0")
    assert out.splitlines()[-1] == "2←S←←1"
    code, _, err = plan("G.S..G\n", "--last", "0,1")
    assert (code, err) == (
        2,
        "first-occupancy plan: --last must be one of the goals, got '0,1'\n",
    )


def test_goals_may_be_rewards_that_can_be_taken_once(plan, tmp_path):
    code, out, _ = plan(ROOMS, "--collect", "--goal", "0,4=1", "--goal", "0,1=0.5", "--return")
    assert code == 0
    assert "expected return 1.138" in out  # 0.95 * 0.5 + 0.95 ** 8
    assert "(0, 0): ends after" in out
    assert "no strategy collects more than 1.138" in out
    content = json.loads(plan(ROOMS, "--collect", "--json", "--last", "0,1")[1])
    assert content["order"] == [[0, 4], [0, 1]]
    assert content["maze"]["rows"] == 3
    code, _, _ = plan(ROOMS, "--collect", "--noise", "0.2", "--out", "trip.png")
    assert code == 0
    assert (tmp_path / "trip.png").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--goal", "0,4=much"], "--goal must be ROW,COLUMN=VALUE, got '0,4=much'"),
        (["--goal", "0,4=-1"], "rewards must be at least 0"),
        (["--goal", "0,4=0"], "rewards must have at least one above 0, got none"),
        (["--switches", "1"], "--switches must be left out with --collect"),
        (["--discount", "2"], "--discount must be"),
    ],
)
def test_bad_options_of_collecting_are_one_line(plan, options, message):
    code, out, err = plan(ROOMS, "--collect", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_without_a_discount_the_tour_takes_the_least_time(plan):
    _, out, _ = plan("G.S....G\n", "--discount", "1")
    assert out.splitlines()[-1] == "1·S→→→→2".replace("·", "→")


def test_orders_that_do_not_exist_are_explained_by_cells(plan):
    code, _, err = plan("G<S>G\n")
    assert (code, err) == (
        2,
        "first-occupancy plan: some order must visit all goals from start (0, 2), but from (0, 0) "
        "and from (0, 4) no plan leads to any other goal\n",
    )
    _, _, err = plan("S.G\n...\nG..\n", "--switches", "0")
    assert err.endswith("no plan leads to any other goal\n")


def test_json_has_everything_in_cells(plan):
    code, out, err = plan("S3G\n", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["order"] == [[0, 2]]
    assert (found["steps"], found["expected_time"]) == (2, 4)
    np.testing.assert_allclose(found["expected_discount"], 0.95**4)
    (way,) = found["ways"]
    (leg,) = way["legs"]
    assert (way["from"], way["goal"]) == ([0, 0], [0, 2])
    assert leg["states"] == [[0, 0], [0, 1], [0, 2]]
    assert (leg["policy"], leg["until"], leg["steps"]) == ("right", [0, 2], 2)
    assert (found["proven_optimal"], found["known"], found["format"]) == (True, "exact", 2)
    assert found["maze"]["moves"] == ["up", "right", "down", "left"]
    assert found["files"] == {}


def test_under_noise_no_steps_are_promised(plan):
    _, out, _ = plan(ROOMS, "--noise", "0.2")
    assert "step" not in out
    _, out, _ = plan(ROOMS, "--noise", "0.2", "--json")
    found = json.loads(out)
    assert found["steps"] is found["ways"][0]["legs"][0]["states"] is None
    assert found["expected_discount"] > found["ways"][0]["promised"]
    assert (found["probability"], found["expected_time"] > 8) == (pytest.approx(1), True)


def test_plans_are_saved_for_look_ups(plan, tmp_path):
    code, out, _ = plan("S.G\n.#.\nG..\n", "--plans", "plans.npz", "--json", "--return")
    assert code == 0
    assert json.loads(out)["files"] == {"plans": "plans.npz"}
    saved = load_plans(tmp_path / "plans.npz")
    assert sorted(saved.goal.tolist()) == [0, 2, 5]
    assert [str(leg) for leg in saved.to(5).legs(4)] == [
        "down until (2, 2)",
        "left until (2, 0)",
    ]


def test_a_map_may_be_an_image(plan, tmp_path):
    from PIL import Image

    Image.fromarray(np.array([[255, 0, 255], [200, 90, 255]], np.uint8)).save(tmp_path / "m.png")
    ends = ["--start", "0,0", "--goal", "0,2"]
    assert main(["plan", "m.png", *ends]) == 2
    assert main(["plan", "m.png", *ends, "--threshold", ".3"]) == 0


SHELL = {
    "a pipe that closes": "{command} | head -1",
    "closed standard output": "{command} >&-",
    "a full disk": "{command} > /dev/full",
}


@pytest.mark.parametrize("how", SHELL)
def test_files_are_written_even_if_nobody_reads_what_is_printed(tmp_path, how):
    (tmp_path / "maze.txt").write_text(ROOMS)
    command = f"{sys.executable} -m first_occupancy plan maze.txt --out p.svg"
    done = subprocess.run(
        SHELL[how].format(command=command),
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert "Traceback" not in done.stderr
    assert (tmp_path / "p.svg").read_text().rstrip().endswith("</svg>")
    if how == "a full disk":
        assert done.stderr == "first-occupancy plan: No space left on device\n"


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


def test_noise_says_what_following_achieves_and_what_was_promised(plan):
    _, out, _ = plan(ROOMS, "--noise", "0.2")
    told = [line for line in out.splitlines() if line.startswith(("expected", "promised"))]
    assert told == [
        "expected discount 0.6097, log -0.4949",
        "promised by the legs 0.4951",
        "expected time 9.73719",
    ]
    _, out, _ = plan("S.v\n..#\n.G.\n", "--noise", "0.5")
    assert "arrives with probability 0." in out
    assert "given arrival" in out


def test_a_tolerance_makes_a_lower_bound(plan):
    large = "\n".join(["S" + "." * 59, *["." * 60] * 38, "." * 59 + "G"])
    _, out, _ = plan(large, "--noise", "0.2", "--tolerance", "0.001")
    assert " (lower bound), log " in out
    code, _, err = plan(ROOMS, "--tolerance", "-1")
    assert (code, err) == (
        2,
        "first-occupancy plan: --tolerance must be at least 0, got -1.0\n",
    )


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
        ("S#G\n", ["--start", "0,1"], "--start: state: cell must be free, but (0, 1) is a wall"),
        (
            "S.G\n",
            ["--goal", "5,0"],
            "--goal: state: cell must lie in the 1 x 3 drawing, got (5, 0)",
        ),
        ("S.G\n", ["--goal", "x"], "--goal must be ROW,COLUMN, both from 0, got 'x'"),
        (
            "S.G\n",
            ["--discount", "1.5"],
            "--discount must be at least 0 and at most 1, got 1.5",
        ),
        (
            "S.G\n",
            ["--discount", "nan", "--noise", "0.5"],
            "--discount must be a finite number at least 0 and at most 1, got nan",
        ),
        ("S.G\n", ["--noise", "2"], "maze: noise must be at least 0 and at most 1, got 2.0"),
        (
            "S.G\n",
            ["--switches", "-1"],
            "--switches must be at least 0, got -1",
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


KNOWN = "#. SG^>v<123456789"
OPTIONS = (
    ["--moves", "8"],
    ["--moves", "8", "--corners", "strict"],
    ["--noise", "0.3"],
    ["--return"],
    ["--json"],
    ["--switches", "1"],
    ["--discount", "1"],
)


def test_any_drawing_is_planned_in_or_refused_in_one_line(plan):
    rng, codes = np.random.default_rng(0), set()
    for _ in range(60):
        letters = [*(KNOWN if rng.random() < 0.8 else KNOWN + "0x\t█")]
        grid = rng.choice(letters, rng.integers(1, 7, 2), p=rng.dirichlet(np.ones(len(letters))))
        grid[grid == "S"] = "."
        for letter in "SG":
            grid[tuple(rng.integers(grid.shape))] = letter
        chosen = [option for option in OPTIONS if rng.random() < 0.25]
        drawing = "\n".join("".join(row) for row in grid)
        code, out, err = plan(drawing, *(part for option in chosen for part in option))
        codes.add(code)
        if code == 0:
            assert out
            assert not err
        else:
            assert code == 2
            assert err.startswith("first-occupancy plan: ")
            assert err.count("\n") == 1
    assert codes == {0, 2}


def test_a_drawing_without_end_is_not_read_to_its_end(capsys):
    assert main(["plan", "/dev/zero"]) == 2
    assert capsys.readouterr().err == (
        "first-occupancy plan: /dev/zero: must have at most 16,777,216 characters, got more\n"
    )


def test_short_lines_are_filled_up_and_that_is_said(plan):
    code, out, err = plan("S..\n.G\n", "--json")
    assert (code, json.loads(out)["maze"]["free_cells"]) == (0, 5)
    assert err == (
        "maze: 1 of 2 lines were filled up with walls, first line 2 from 2 to 3 characters\n"
    )


def test_json_is_what_the_schema_says(plan, tmp_path, capsys):
    jsonschema = pytest.importorskip("jsonschema", reason="the extra 'test' is not installed")
    with pytest.raises(SystemExit) as caught:
        main(["plan", "--schema"])
    schema = json.loads(capsys.readouterr().out)
    assert caught.value.code == 0
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for drawing, *options in (
        (ROOMS,),
        ("S.2\nG>G", "--return"),
        ("S..\n..G", "--noise", "0.2", "--discount", "1", "--plans", "p.npz"),
        ("S..\n..G", "--noise", "0.2", "--tolerance", "0.01", "--switches", "3"),
    ):
        code, out, err = plan(drawing, *options, "--json")
        assert (code, err) == (0, "")
        validator.validate(json.loads(out))
    walls = np.full((5, 6), 254, np.uint8)
    walls[2, 1:] = 0
    Image.fromarray(walls).save(tmp_path / "map.pgm")
    text = "image: map.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n"
    (tmp_path / "map.yaml").write_text(text)
    assert main(["plan", "map.yaml", "--start", "0,5", "--goal", "4,5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    validator.validate(found)
    assert (found["maze"]["resolution"], found["steps"]) == (0.1, 14)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(found | {"steps": "many"})
    names = set(schema["properties"]) - {"maze", "files", "max_switches", "tolerance"}
    assert names == set(schema["required"])
