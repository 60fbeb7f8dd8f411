"""Every test runs with shape and type checks, warnings as errors, and in float64.

Float32, which is what users get who never heard of x64, has tests of its own: they say
`with jax.enable_x64(False)`.
"""

import jax
import jaxtyping
import pytest
from hypothesis import HealthCheck, settings

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_rank_promotion", "raise")

# The first example of each size waits for the compiler, so no deadline.
settings.register_profile(
    "ours",
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ours")


@pytest.fixture
def as_users_run_it(monkeypatch):
    """Turn the shape checks of the test run off, so that the library's own errors show."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
