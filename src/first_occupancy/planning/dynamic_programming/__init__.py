"""Value iteration and policy iteration: the optimum, given the full model and the reward."""

from first_occupancy.planning.dynamic_programming import policy_iteration, value_iteration

__all__ = ["policy_iteration", "value_iteration"]
