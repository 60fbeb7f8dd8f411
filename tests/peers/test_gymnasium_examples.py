"""The example with Stable-Baselines3 runs, and what it claims holds."""

import pytest

from tutorials import check


def test_trained_skills_are_chained_to_goals_none_was_trained_for(tmp_path):
    pytest.importorskip("stable_baselines3")
    claims = """
promised = [row for row in outcomes if row["promised"] is not None]
for row in promised:
    np.testing.assert_allclose(row["steps"], row["promised"], rtol=1e-5)
assert len([row for row in promised if row["legs"] > 1]) >= 3
assert len(promised) >= 0.8 * len(outcomes)
"""
    check("09_composing_trained_skills", tmp_path, claims)
