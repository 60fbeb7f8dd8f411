"""The examples run as notebooks, print what their pages show, and what they claim holds."""

import pytest

from tutorials import WITH_PEERS, check, notebooks

CLAIMS = {
    "04_features_on_pendulum": """
estimated, true, best = np.mean(outcomes["FF"], axis=0)
assert true > 0.95 * best
assert abs(estimated - true) < 0.1 * true
overestimated, worse, _ = np.mean(outcomes["SF"], axis=0)
assert worse < 0.95 * best
assert overestimated > 2 * worse
""",
    "07_plans_for_gymnasiums_tables": """
for (name, _), (promised, planned, optimal) in rows.items():
    assert promised <= planned + 1e-12
    assert planned <= optimal + 1e-12
    if name.startswith("FrozenLake"):
        assert planned > 0.59 * optimal
    else:
        assert abs(planned - optimal) <= 1e-12 * optimal
assert rewards == [-1] * (len(rewards) - 1) + [20]
""",
}


@pytest.mark.parametrize("name", sorted(set(notebooks.EXAMPLES) - set(WITH_PEERS)))
def test_a_notebook_prints_and_draws_what_its_page_shows(name, tmp_path):
    if "import gymnasium" in notebooks.EXAMPLES[name].read_text("utf-8"):
        pytest.importorskip("gymnasium")
    check(name, tmp_path, CLAIMS.get(name, ""))
