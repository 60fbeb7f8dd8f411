"""`first-occupancy plan`: plan through a drawn maze; save figure and plans, then print the tour."""

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
        from first_occupancy.plotting.figure_files import check_suffix

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
    path, suffix = options.maze, Path(options.maze).suffix.lower()
    given: dict[str, Any] = {"noise": options.noise, "corners": options.corners}
    given["moves"] = EIGHT_MOVES if options.moves == 8 else FOUR_MOVES
    if suffix in IMAGES:
        return from_image(path, threshold=options.threshold, **given)
    if suffix in (".yaml", ".yml"):
        return from_ros_map(path, **given)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", PaddingWarning)
        world = maze(_read(path), **given)
    for warning in told:
        print(warning.message, file=sys.stderr)
    return world


def _tour(world: Maze, options: argparse.Namespace) -> Tour | Collection:
    goals, start = _goals(world, options), _start(world, options.start)
    last = None if options.last is None else _cell(world, "--last", options.last)
    if last is not None and last not in goals and not options.collect:
        raise InputError(f"--last must be one of the goals, got {options.last!r}")
    given: dict[str, Any] = {"start": start, "last": last, "progress": _progress()}
    given |= {name: getattr(options, name) for name in ("discount", "tolerance")}
    try:
        if options.collect:
            for option in ("switches", "seconds"):
                if getattr(options, option) is not None:
                    raise InputError(f"--{option} must be left out with --collect")
            if options.returns and last is None:
                given["last"] = start
            return collect(world, goals, **given)
        of_tours = {"max_switches": options.switches, "seconds": options.seconds}
        return tour(world, list(goals), returning=options.returns, **of_tours, **given)
    except InputError as error:
        # What users of the command gave has the names of its options.
        text = re.sub(r"^(plan|tour|collect): (?=(discount|tolerance|seconds)\b)", "--", str(error))
        text = re.sub(r"^(plan|tour): max_switches", "--switches", text)
        text = text.replace("max_switches=0", "--switches 0").replace(
            "a discount of 0", "--discount 0"
        )
        raise InputError(re.sub(r"^((plan|tour|collect): )+", "", text)) from None


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
    is_map = isinstance(world, RobotMap)
    metres = {"resolution": world.resolution, "origin": list(world.origin)} if is_map else {}
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
    if given is None and world.start is None:
        raise InputError("maze needs a start: draw an 'S' or give --start ROW,COLUMN")
    return int(world.start or 0) if given is None else _cell(world, "--start", given)


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
    folder = Path(path or "").parent
    if path is not None and not os.access(folder, os.W_OK):
        what = "a folder that can be written to" if folder.is_dir() else "an existing folder"
        raise InputError(f"{option} must be in {what}, got {path!r}")


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
    from first_occupancy.plotting.figure_files import save
    from first_occupancy.plotting.painters import plot
    from first_occupancy.plotting.plan_figures import tour_figure

    if isinstance(found, Collection):
        figure = plot(found)
    elif len(found.ways) == 1 and found.ways[0].legs:
        figure = plot(found.ways[0].plan, world=world, start=found.start)
    else:
        figure = tour_figure(world, joined_paths(found, world), [way.goal for way in found.ways])
    save(figure, path)
