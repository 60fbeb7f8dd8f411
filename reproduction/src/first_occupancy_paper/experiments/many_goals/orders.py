"""All n! orders of goals, tried one by one: the paper's procedure, which checks ours."""

from itertools import permutations

import numpy as np
from jaxtyping import Float


def log_discounts_of_all(
    first: Float[np.ndarray, " G"], between: Float[np.ndarray, "G G"]
) -> Float[np.ndarray, " orders"]:
    """Return the log discount of every order of the goals (the paper's Xi, as logs).

    Args:
        first: log discount from the start to each goal.
        between: log discount from each goal (first axis) to each other (second axis).
    """
    every = np.array(list(permutations(range(len(first)))))
    return first[every[:, 0]] + between[every[:, :-1], every[:, 1:]].sum(axis=1)


def log_discount_of_nearest_first(
    first: Float[np.ndarray, " G"], between: Float[np.ndarray, "G G"]
) -> float:
    """Return the log discount of always going to the nearest remaining goal.

    Args:
        first: log discount from the start to each goal.
        between: log discount from each goal (first axis) to each other (second axis).
    """
    left, ahead, total = set(range(len(first))), first, 0.0
    while left:
        goal = max(sorted(left), key=lambda position: float(ahead[position]))
        total += float(ahead[goal])
        left.remove(goal)
        ahead = between[goal]
    return total
