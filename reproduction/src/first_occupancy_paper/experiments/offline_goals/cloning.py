"""A peer: goal-conditioned behaviour cloning, a network fitted to what the log did.

Goals are drawn evenly from the rest of each episode, as in OGBench's GCBC. The network is smaller
and trained for less: OGBench has three layers of 512 and a million updates on batches of 1,024.
"""

from first_occupancy.core.episodes import Episodes
from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments.offline_goals.goal_regression import GoalPolicy, goal_policy

TRAINING = Training(hidden=256, depth=2, num_updates=20_000, batch_size=256, learning_rate=1e-3)
"""Sizes and rates: 5 million pairs of an observation and a goal, five for each transition."""


def cloned(log: Episodes, seed: int, *, training: Training = TRAINING) -> GoalPolicy:
    """Return the policy of goal-conditioned behaviour cloning.

    Args:
        log: recorded episodes.
        seed: seed of the first weights and of the batches.
        training: sizes and rates.
    """
    return goal_policy(log, training=training, seed=seed)
