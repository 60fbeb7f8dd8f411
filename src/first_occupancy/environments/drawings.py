"""Drawings of mazes: parsing into grids of letters, with errors for invalid drawings."""

from collections.abc import Iterable, Sequence
from os import PathLike

import numpy as np
from jaxtyping import Bool, UInt

from first_occupancy.core.errors import InputError

WALL, FREE, START, GOAL = "#", ". ", "S", "G"

_BREAKS, _BLANKS = ("\n", "\r"), " \t"


def letters_of(drawing: str | Sequence[str]) -> UInt[np.ndarray, "rows columns"]:
    """Return a drawing as a grid of character codes; raise `InputError` for an invalid one."""
    lines = _lines(drawing)
    filled = [number for number, line in enumerate(lines) if line]
    if not filled:
        raise InputError("maze: the drawing must have at least one line, got nothing")
    first = filled[0]
    lines = lines[first : filled[-1] + 1]
    for number, line in enumerate(lines, start=first + 1):
        if len(line) != len(lines[0]):
            raise InputError(
                f"maze: all lines must be equally long, got {len(lines[0])} characters "
                f"in line {first + 1} and {len(line)} in line {number}"
            )
    # Comparing codes is many times faster than comparing characters, which matters in big mazes.
    # Surrogates, which stand for undecodable bytes, are passed on and refused below.
    text = "".join(lines).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(text, dtype="<u4")
    known = np.isin(codes, [ord(letter) for letter in WALL + FREE + START + GOAL])
    if not known.all():
        row, column = divmod(int(known.argmin()), len(lines[0]))
        raise InputError(
            "maze: characters must be '#', '.', ' ', 'S' or 'G', "
            f"got {lines[row][column]!r} in line {row + first + 1}, column {column + 1}"
        )
    return codes.reshape(len(lines), -1)


def drawn(
    floor: Bool[np.ndarray, "rows columns"],
    starts: Sequence[tuple[int, int]],
    goals: Sequence[tuple[int, int]],
) -> str:
    """Return the drawing of a maze, which `letters_of` reads.

    >>> print(drawn(np.array([[True, True, False]]), [(0, 0)], [(0, 1)]))
    SG#

    Args:
        floor: whether each cell is free.
        starts: cells (row, column) to begin in.
        goals: cells to reach; a cell that is both is drawn as a start.
    """
    letters = np.where(floor, FREE[0], WALL)
    for letter, cells in ((GOAL, goals), (START, starts)):
        for cell in cells:
            letters[cell] = letter
    return "\n".join("".join(row) for row in letters)


def _lines(drawing: str | Sequence[str]) -> list[str]:
    if isinstance(drawing, PathLike) or (isinstance(drawing, str) and drawing.endswith(".txt")):
        raise InputError(
            "maze: the drawing must be text or lines of text, not a path; read the file with "
            f"pathlib's read_text(), got {drawing!r}"
        )
    if isinstance(drawing, str):
        return _lines_of_text(drawing)
    if not isinstance(drawing, Iterable):
        raise InputError(f"maze: the drawing must be text or lines of text, got {drawing!r}")
    lines = list(drawing)
    odd = [line for line in lines if not isinstance(line, str)]
    if odd:
        raise InputError(f"maze: the drawing must be text or lines of text, got a line {odd[0]!r}")
    return lines


def _lines_of_text(text: str) -> list[str]:
    """Return the lines of a drawing, without the indentation of text in triple quotes."""
    lines = text.splitlines()
    if not text.startswith(_BREAKS):
        return lines
    # The indentation of the closing quotes.
    if not text.endswith(_BREAKS) and not lines[-1].strip(_BLANKS):
        lines.pop()
    # Not `textwrap.dedent`: it would empty lines of blanks, which are rows of free cells.
    drawn = [line for line in lines if line.strip(_BLANKS)]
    indent = min((len(line) - len(line.lstrip(_BLANKS)) for line in drawn), default=0)
    return [line[indent:] for line in lines]
