"""Transition matrices of noisy moves."""

import numpy as np

from first_occupancy.environments._noisy_moves import sparse_chains


def test_a_random_move_replaces_the_chosen_one_as_often_as_noise_says():
    next_states = np.array([[1, 2, 2], [0, 0, 1]], np.int32)
    for noise in (0.0, 0.3, 1.0):
        chains = sparse_chains(next_states, noise)
        certain = np.eye(3)[next_states]
        for chain, chosen in zip(chains, certain, strict=True):
            expected = (1 - noise) * chosen + noise * certain.mean(axis=0)
            np.testing.assert_allclose(chain.toarray(), expected, rtol=1e-15)
