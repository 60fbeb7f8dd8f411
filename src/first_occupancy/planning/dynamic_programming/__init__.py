"""Value iteration and policy iteration: the optimum, when the whole world is known."""

from first_occupancy.planning.dynamic_programming import policy_iteration, value_iteration

__all__ = ["policy_iteration", "value_iteration"]
