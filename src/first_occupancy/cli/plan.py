"""`first-occupancy plan`: plan through a drawn maze; save figure and plans, then print the tour."""

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from first_occupancy.cli.plan_output import as_text, joined_paths
from first_occupancy.core import InputError
from first_occupancy.environments import EIGHT_MOVES, FOUR_MOVES, Maze, maze
from first_occupancy.environments.drawings import PaddingWarning
from first_occupancy.environments.map_images import IMAGES, from_image
from first_occupancy.environments.ros_maps import RobotMap, from_ros_map
from first_occupancy.planning.collect import collect
from first_occupancy.planning.collection import Collection
from first_occupancy.planning.world_tours import Tour, tour

MOST_READ = 2**24
"""Characters of a drawing up to which it is read."""


def run(options: argparse.Namespace) -> int:
    """Plan a tour of the goals, write the files that were asked for, and print the tour."""
    _check_out("--out", options.out)
    _check_out("--plans", options.plans)
    if options.out is not None:
        from first_occupancy.plotting.saving import check_suffix

        check_suffix(options.out)
    world = _world(options)
    found = _tour(world, options)
    # Before anything is printed, because printing fails if nobody reads.
    files = _written(found, world, options)
    if options.json:
        more = {"max_switches": options.switches, "tolerance": options.tolerance, "files": files}
        print(found.to_json(maze=_described(world), **more))
        return 0
    text = as_text(found, world, getattr(sys.stdout, "encoding", None))
    print("\n".join([text, *(f"saved {path}" for path in files.values())]))
    return 0


def _world(options: argparse.Namespace) -> Maze:
    moves = EIGHT_MOVES if options.moves == 8 else FOUR_MOVES
    path, suffix = options.maze, Path(options.maze).suffix.lower()
    if suffix in IMAGES:
        return from_image(
            path, threshold=options.threshold, moves=moves, noise=options.noise,
            corners=options.corners,
        )  # fmt: skip
    if suffix in (".yaml", ".yml"):
        return from_ros_map(path, moves=moves, noise=options.noise, corners=options.corners)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", PaddingWarning)
        world = maze(_read(path), moves=moves, noise=options.noise, corners=options.corners)
    for warning in told:
        print(warning.message, file=sys.stderr)
    return world


def _tour(world: Maze, options: argparse.Namespace) -> Tour | Collection:
    goals, start = _goals(world, options), _start(world, options.start)
    last = None if options.last is None else _cell(world, "--last", options.last)
    if last is not None and last not in goals and not options.collect:
        raise InputError(f"--last must be one of the goals, got {options.last!r}")
    try:
        if options.collect:
            return _collection(world, goals, start, last, options)
        return tour(
            world,
            list(goals),
            start=start,
            discount=options.discount,
            returning=options.returns,
            last=last,
            max_switches=options.switches,
            tolerance=options.tolerance,
            seconds=options.seconds,
            progress=_progress(),
        )
    except InputError as error:
        # What users of the command gave has the names of its options.
        text = str(error).replace("max_switches=0", "--switches 0")
        text = text.replace("a discount of 0", "--discount 0")
        text = re.sub(r"^(plan|tour|collect): (discount|tolerance|seconds)", r"--\2", text)
        text = re.sub(r"^(plan|tour): max_switches", "--switches", text)
        raise InputError(
            text.removeprefix("tour: ").removeprefix("plan: ").removeprefix("collect: ")
        ) from None


def _collection(
    world: Maze,
    rewards: dict[int, float],
    start: int,
    last: int | None,
    options: argparse.Namespace,
) -> Collection:
    for option in ("switches", "seconds"):
        if getattr(options, option) is not None:
            raise InputError(f"--{option} must be left out with --collect")
    return collect(
        world,
        rewards,
        start=start,
        discount=options.discount,
        last=start if options.returns and last is None else last,
        tolerance=options.tolerance,
        progress=_progress(),
    )


def _progress() -> Callable[[int, int], None] | None:
    """Return a function that counts the plans on a terminal, where there are many."""
    if not sys.stderr.isatty():
        return None

    def tell(done: int, total: int) -> None:
        if total > 1:
            end = "\r" if done < total else "\r\x1b[K"
            print(f"planned to {done} of {total} goals", end=end, file=sys.stderr, flush=True)

    return tell


def _described(world: Maze) -> dict[str, object]:
    metres: dict[str, object] = {}
    if isinstance(world, RobotMap):
        metres = {"resolution": world.resolution, "origin": list(world.origin)}
    return metres | {
        "rows": world.free.shape[0],
        "columns": world.free.shape[1],
        "free_cells": world.num_states,
        "moves": list(world.action_names),
        "corners": world.corners,
        "noise": world.noise,
    }


def _read(path: str) -> list[str]:
    try:
        if path == "-":
            text = sys.stdin.read(MOST_READ + 1)
        else:
            with open(path, encoding="utf-8-sig") as file:
                text = file.read(MOST_READ + 1)
    except UnicodeDecodeError:
        raise InputError(f"{path}: must be a text file, got bytes that are not UTF-8") from None
    if len(text) > MOST_READ:
        raise InputError(f"{path}: must have at most {MOST_READ:,} characters, got more")
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


def _goals(world: Maze, options: argparse.Namespace) -> dict[int, float]:
    """Return the goals, and what each is worth if it can be taken once."""
    if options.goal is None:
        if not world.goals:
            raise InputError("maze needs a goal: draw a 'G' or give --goal ROW,COLUMN")
        return dict.fromkeys(world.goals, 1.0)
    goals = {}
    for text in options.goal:
        cell, given, worth = text.partition("=") if options.collect else (text, "", "")
        try:
            goals[_cell(world, "--goal", cell)] = float(worth) if given else 1.0
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"--goal must be ROW,COLUMN=VALUE, got {text!r}") from None
    return goals


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


def _written(found: Tour | Collection, world: Maze, options: argparse.Namespace) -> dict[str, str]:
    """Write the figure and the plans; return the files' names by what they hold."""
    files = {}
    if options.plans is not None:
        from first_occupancy.planning.plan_files import stacked
        from first_occupancy.storage.saving import save

        save(stacked([way.plan for way in found.ways]), options.plans)
        files["plans"] = options.plans
    if options.out is not None:
        _save_figure(found, world, options.out)
        files["figure"] = options.out
    return files


def _save_figure(found: Tour | Collection, world: Maze, path: str) -> None:
    from first_occupancy.plotting.painters import plot
    from first_occupancy.plotting.plan_figures import tour_figure
    from first_occupancy.plotting.saving import save

    if isinstance(found, Collection):
        figure = plot(found)
    elif len(found.ways) == 1 and found.ways[0].legs:
        figure = plot(found.plans[0], world=world, start=found.start)
    else:
        figure = tour_figure(world, joined_paths(found, world), [way.goal for way in found.ways])
    save(figure, path)
