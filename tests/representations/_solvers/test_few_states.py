import numpy as np
import pytest

from first_occupancy.representations._solvers.few_states import powers


@pytest.mark.parametrize("run", [powers, powers.py_func], ids=["compiled", "plain"])
def test_powers_are_the_inverse_and_what_is_lost_follows_from_it(run):
    rng = np.random.default_rng(0)
    for count in (1, 2, 7):
        rows = rng.dirichlet(np.ones(count + 3), count)
        within, beyond, losses = rows[:, :count], rows[:, count:-1].sum(axis=1), rows[:, -1]
        exact = np.linalg.inv(np.eye(count) - within)
        sums, lost = run(np.ascontiguousarray(within), beyond, losses)
        np.testing.assert_allclose(sums, exact, rtol=1e-12)
        np.testing.assert_allclose(lost, exact @ losses, rtol=1e-12)


def test_states_that_are_never_left_lose_everything():
    sums, lost = powers(np.array([[0, 1.0, 0], [1, 0, 0], [0.5, 0, 0]]), np.zeros(3), np.zeros(3))
    assert lost.tolist() == [1, 1, 1]
    assert np.isfinite(sums).all()


def test_rarely_left_states_keep_their_digits():
    leave = 1e-100
    sums, lost = powers(np.array([[1.0, leave], [1.0, 1.0]]), np.zeros(2), np.array([0, leave]))
    np.testing.assert_allclose(sums * leave, [[1 / leave, 1], [1 / leave, 1]], rtol=1e-12)
    np.testing.assert_allclose(lost, 1, rtol=1e-12)
