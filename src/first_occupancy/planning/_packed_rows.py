r"""Plans to many goals in three or four bytes per pair of goal and state.

A plan of policy, subgoal and log discount takes 12 bytes or more for each pair. But a goal has few
different legs (policy and subgoal), and deterministic plans few different discounts. So a pair
is one number, `leg + log * 2^leg_bits`: an index into the goal's list of legs, and one into
the list of all logs. Its bytes are stored as planes, one after the other, which NumPy joins faster
than interleaved ones.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, UInt

MOST_BYTES = 4
"""Bytes of a pair up to which plans are packed; with more there is little to gain."""


class PackedRows(NamedTuple):
    """Rows of plans, to be unpacked one at a time.

    Attributes:
        planes: bytes of the numbers of each goal's pairs, the lowest plane first.
        leg_starts: where the list of legs of each goal begins, and the end of the last.
        leg_policy: policies of the legs, goal by goal.
        leg_subgoal: subgoals of the legs.
        logs: the different log discounts, ascending.
        leg_bits: how many of the lowest bits are the index of the leg.
    """

    planes: UInt[np.ndarray, "G planes S"]
    leg_starts: Int[np.ndarray, " G1"]
    leg_policy: Int[np.ndarray, " L"]
    leg_subgoal: Int[np.ndarray, " L"]
    logs: Float[np.ndarray, " V"]
    leg_bits: int

    def row(
        self, number: int
    ) -> tuple[Int[np.ndarray, " S"], Int[np.ndarray, " S"], Float[np.ndarray, " S"]]:
        """Return policy, subgoal and log discount of one goal, from every state.

        Checking each number would take as long as unpacking it: pairs of a damaged file that point
        outside the lists get their last entry.
        """
        pairs = self._joined(self.planes[number])
        legs, first = pairs & (2**self.leg_bits - 1), self.leg_starts[number]
        mine = slice(first, self.leg_starts[number + 1])
        pairs >>= self.leg_bits
        return (
            self.leg_policy[mine].astype(np.int32).take(legs, mode="clip"),
            self.leg_subgoal[mine].astype(np.int32).take(legs, mode="clip"),
            self.logs.take(pairs, mode="clip"),
        )

    def leg(self, number: int, state: int) -> tuple[int, int]:
        """Return policy and subgoal of one goal, from one state."""
        pair = int.from_bytes(self.planes[number, :, state].tobytes(), "little")
        place = self.leg_starts[number] + (pair & (2**self.leg_bits - 1))
        place = min(place, self.leg_starts[number + 1] - 1)
        return int(self.leg_policy[place]), int(self.leg_subgoal[place])

    def _joined(self, planes: UInt[np.ndarray, "planes S"]) -> Int[np.ndarray, " S"]:
        """Return the numbers whose bytes are in the planes."""
        pairs = planes[-1].astype(np.intp)
        for plane in planes[-2::-1]:
            pairs <<= 8
            pairs |= plane
        return pairs


def packed(
    policy: Int[np.ndarray, "G S"], subgoal: Int[np.ndarray, "G S"], logs: Float[np.ndarray, "G S"]
) -> PackedRows | None:
    """Return the rows packed, or None if they do not fit into `MOST_BYTES` bytes per pair.

    Args:
        policy: base policy to follow to each goal from each state; -1 for none.
        subgoal: state at which to switch; -1 for none.
    """
    base = int(policy.max()) + 2
    found = [_legs_of(*row, base) for row in zip(policy, subgoal, strict=True)]
    leg_bits = max(len(codes) - 1 for codes, _ in found).bit_length()
    values = _different(logs, 2 ** (8 * MOST_BYTES - leg_bits))
    if values is None:
        return None
    bits = leg_bits + (len(values) - 1).bit_length()
    count = max(1, -(-bits // 8))
    planes = np.empty((len(policy), count, policy.shape[1]), np.uint8)
    for row, (_, legs) in enumerate(found):
        pairs = legs | np.searchsorted(values, logs[row]).astype(np.uint32) << np.uint32(leg_bits)
        for place in range(count):
            planes[row, place] = (pairs >> np.uint32(8 * place)) & np.uint32(255)
    codes = np.concatenate([codes for codes, _ in found])
    starts = np.append(0, np.cumsum([len(codes) for codes, _ in found]))
    legs = smallest(codes % base - 1), smallest(codes // base - 1)
    return PackedRows(planes, starts, *legs, values, leg_bits)


def smallest(numbers: Int[np.ndarray, "*N"]) -> Int[np.ndarray, "*N"]:
    """Return whole numbers in the smallest signed type that holds them all."""
    lowest, highest = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    return numbers.astype(np.promote_types(np.min_scalar_type(min(lowest, -1)), _signed(highest)))


def _signed(highest: int) -> np.dtype:
    return np.min_scalar_type(-highest - 1)


def _legs_of(
    policy: Int[np.ndarray, " S"], subgoal: Int[np.ndarray, " S"], base: int
) -> tuple[Int[np.ndarray, " L"], UInt[np.ndarray, " S"]]:
    """Return the different legs of a row as numbers, and the index of each state's leg."""
    codes = (policy.astype(np.int64) + 1) + base * (subgoal.astype(np.int64) + 1)
    legs, index = np.unique(codes, return_inverse=True)
    return legs, index.astype(np.uint32)


def _different(logs: Float[np.ndarray, "G S"], most: int) -> Float[np.ndarray, " V"] | None:
    """Return the different values, ascending; None if there are more than `most`."""
    values = np.zeros(0, logs.dtype)
    for row in logs:
        values = np.union1d(values, row)
        if len(values) > most:
            return None
    return values
