"""Drawings of mazes: parsing into grids of letters, with errors for invalid drawings."""

from collections.abc import Iterable, Sequence
from os import PathLike

import numpy as np
from jaxtyping import Float, UInt

from first_occupancy.core.errors import InputError, as_given, warn

WALL, FREE, START, GOAL = "#", ". ", "S", "G"
STEPS = {"^": (-1, 0), ">": (0, 1), "v": (1, 0), "<": (0, -1)}
"""The (row, column) step by which a one-way cell can be left, by the character that draws it."""
DIGITS = "123456789"
"""Characters that draw the cost of entering a cell."""

_BREAKS, _BLANKS = ("\n", "\r"), " \t"


class PaddingWarning(UserWarning):
    """A drawing with lines of different lengths."""


def letters_of(drawing: str | Sequence[str]) -> UInt[np.ndarray, "rows columns"]:
    """Return a drawing as a grid of character codes; raise `InputError` for an invalid one."""
    lines = _lines(drawing)
    filled = [number for number, line in enumerate(lines) if line]
    if not filled:
        raise InputError("maze: the drawing must have at least one line, got nothing")
    first = filled[0]
    lines = lines[first : filled[-1] + 1]
    longest = max(map(len, lines))
    short = [number for number, line in enumerate(lines) if len(line) < longest]
    if short:
        warn(
            f"maze: {len(short)} of {len(lines)} lines were filled up with walls, first line "
            f"{first + short[0] + 1} from {len(lines[short[0]])} to {longest} characters",
            PaddingWarning,
        )
        lines = [line.ljust(longest, WALL) for line in lines]
    # Comparing codes is many times faster than comparing characters, which matters in big mazes.
    # Surrogates, which stand for undecodable bytes, are passed on and refused below.
    text = "".join(lines).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(text, dtype="<u4")
    drawable = WALL + FREE + START + GOAL + "".join(STEPS) + DIGITS
    known = np.isin(codes, [ord(letter) for letter in drawable])
    if not known.all():
        row, column = divmod(int(known.argmin()), len(lines[0]))
        raise InputError(
            "maze: characters must be '#', '.', ' ', 'S', 'G', one of '^>v<' or a digit from 1 to "
            f"9, got {lines[row][column]!r} in line {row + first + 1}, column {column + 1}"
        )
    return codes.reshape(len(lines), -1)


def entry_costs(letters: UInt[np.ndarray, " S"]) -> Float[np.ndarray, " S"] | None:
    """Return the cost of entering each cell, 1 unless a digit says otherwise; None if all are 1."""
    digits = (letters >= ord("2")) & (letters <= ord("9"))
    return np.where(digits, letters.astype(np.float64) - ord("0"), 1.0) if digits.any() else None


def _lines(drawing: str | Sequence[str]) -> list[str]:
    if isinstance(drawing, PathLike) or (isinstance(drawing, str) and drawing.endswith(".txt")):
        raise InputError(
            "maze: the drawing must be text or lines of text, not a path; read the file with "
            f"pathlib's read_text(), got {as_given(drawing)}"
        )
    if isinstance(drawing, str):
        return _lines_of_text(drawing)
    lines = list(drawing) if isinstance(drawing, Iterable) else [drawing]
    odd = [line for line in lines if not isinstance(line, str)]
    if odd:
        raise InputError(f"maze: the drawing must be text or lines of text, got {as_given(odd[0])}")
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
