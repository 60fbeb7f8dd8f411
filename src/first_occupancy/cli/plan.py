"""`first-occupancy plan`: plan through a drawn maze; save figure and plans, then print the tour."""

import argparse
import os
import sys
from pathlib import Path

from first_occupancy.cli.plan_answer import Answer, Question, answer
from first_occupancy.cli.plan_output import as_json, as_text, joined_paths
from first_occupancy.core import InputError
from first_occupancy.environments import EIGHT_MOVES, FOUR_MOVES, Maze, maze
from first_occupancy.environments.map_images import IMAGES, drawing_of_image


def run(options: argparse.Namespace) -> int:
    """Plan a tour of the goals, write the files that were asked for, and print the tour."""
    _check_out("--out", options.out)
    _check_out("--plans", options.plans)
    if options.out is not None:
        from first_occupancy.plotting.saving import check_suffix

        check_suffix(options.out)
    found = answer(_question(options))
    # Before anything is printed, because printing fails if nobody reads.
    files = _written(found, options)
    if options.json:
        print(as_json(found, files))
        return 0
    encoding = getattr(sys.stdout, "encoding", None)
    print("\n".join([as_text(found, encoding), *(f"saved {path}" for path in files.values())]))
    return 0


def _question(options: argparse.Namespace) -> Question:
    moves = EIGHT_MOVES if options.moves == 8 else FOUR_MOVES
    drawing = _read(options.maze, options.threshold)
    world = maze(drawing, moves=moves, noise=options.noise, corners=options.corners)
    last = None if options.last is None else _cell(world, "--last", options.last)
    goals = _goals(world, options.goal)
    if last is not None and last not in goals:
        raise InputError(f"--last must be one of the goals, got {options.last!r}")
    return Question(
        world,
        _start(world, options.start),
        goals,
        options.discount,
        switches=options.switches,
        last=last,
        returns=options.returns,
        seconds=options.seconds,
    )


def _read(path: str, threshold: float) -> list[str]:
    if Path(path).suffix.lower() in IMAGES:
        return drawing_of_image(path, threshold=threshold)
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: must be a text file, got bytes that are not UTF-8") from None
    text = text.removeprefix("\ufeff")  # a byte-order mark, if it came by the standard input
    if not text.strip("\r\n"):
        raise InputError(f"{path}: must hold a drawing, but is empty")
    return text.splitlines()


def _start(world: Maze, given: str | None) -> int:
    if given is not None:
        return _cell(world, "--start", given)
    if world.start is None:
        raise InputError("maze needs a start: draw an 'S' or give --start ROW,COLUMN")
    return world.start


def _goals(world: Maze, given: list[str] | None) -> list[int]:
    if given is not None:
        return list(dict.fromkeys(_cell(world, "--goal", text) for text in given))
    if not world.goals:
        raise InputError("maze needs a goal: draw a 'G' or give --goal ROW,COLUMN")
    return list(world.goals)


def _cell(world: Maze, option: str, text: str) -> int:
    try:
        row, column = (int(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{option} must be ROW,COLUMN, both from 0, got {text!r}") from None
    try:
        return world.state(row, column)
    except InputError as error:
        raise InputError(f"{option}: {error}") from None


def _check_out(option: str, path: str | None) -> None:
    """Raise, before any work, if a file cannot be written there."""
    if path is None:
        return
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"{option} must be in an existing folder, got {path!r}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{option} must be in a folder that can be written to, got {path!r}")


def _written(found: Answer, options: argparse.Namespace) -> dict[str, str]:
    """Write the figure and the plans; return the files' names by what they hold."""
    files = {}
    if options.plans is not None:
        from first_occupancy.planning.plan_files import stacked
        from first_occupancy.storage.saving import save

        save(stacked(found.plans), options.plans)
        files["plans"] = options.plans
    if options.out is not None:
        _save_figure(found, options.out)
        files["figure"] = options.out
    return files


def _save_figure(found: Answer, path: str) -> None:
    from first_occupancy.plotting.plan_figures import plan_figure, tour_figure
    from first_occupancy.plotting.saving import save

    world, ways = found.question.world, found.ways
    if len(ways) == 1:
        figure = plan_figure(world, ways[0].plan, found.question.start)
    else:
        figure = tour_figure(world, joined_paths(found), [way.goal for way in ways])
    save(figure, path)
