"""Every test runs with shape and type checks, warnings as errors, and in float64.

Float32, which is what users get who never heard of x64, has tests of its own: they say
`with jax.enable_x64(False)`.

Nearly all the time of the tests goes into compiling programs that then run for milliseconds, so
XLA is told to compile fast rather than well. Flags of one's own come last and win:
`XLA_FLAGS="--xla_backend_optimization_level=3 --xla_cpu_use_fusion_emitters=true" make test`
tests what users run.

Every program is lowered in an MLIR context of its own, which takes some ten milliseconds to make
and stays in memory with the program; here they share one, which halves the memory.

Compiled programs are kept in `.pytest_cache` for the next run, which takes them from there if
program, flags and version of jaxlib are the same; `--cache-clear` removes them. Processes that
tests start compile their own.
"""

import gc
import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from random import Random

import jax
import jaxtyping
import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["lab_browser"]
"""One browser for the tests of the lab in both packages; it starts when the first of them asks."""

COMPILE_FAST = "--xla_backend_optimization_level=0"
if jax.__version_info__ < (0, 12):  # later versions of XLA end on flags that they no longer know
    COMPILE_FAST += " --xla_cpu_use_fusion_emitters=false"
# XLA looks at its flags when the first program is compiled, and SciPy, whose LAPACK programs call,
# is loaded then: not yet. Both stand in the environment, so that xdist's processes and those
# started by tests do likewise.
os.environ["XLA_FLAGS"] = f"{COMPILE_FAST} {os.environ.get('XLA_FLAGS', '')}".strip()
# Threads waiting for each other take twenty times as long as one over the small systems here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Numba's loops read past the end of an array without a word, unless they are told to look. Loops
# compiled to look are kept apart from those of users.
os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent / ".pytest_cache" / "loops"))

# Importing and tracing make few cycles and many objects.
gc.set_threshold(20_000)

with suppress(ImportError, AttributeError):  # not part of JAX's interface, and not needed
    from jax._src.interpreters import mlir

    mlir.make_ir_context = lru_cache(mlir.make_ir_context)

with suppress(ImportError, AttributeError):  # not part of beartype's interface
    from beartype._check.code import codemain

    # Checks look at list items drawn at random: from numbers of their own, not the global ones.
    codemain.getrandbits = Random(0).getrandbits

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

KEPT_BYTES = 2**30
"""How much compiled programs may take on disk; when there is more, all are removed."""


def pytest_configure(config):
    # Those who name a folder of their own, or do without pytest's cache, have said what they want.
    if jax.config.jax_compilation_cache_dir or not hasattr(config, "cache"):
        return
    folder = config.cache.mkdir("compiled")
    if not hasattr(config, "workerinput"):
        kept = [entry for entry in os.scandir(folder) if entry.is_file()]
        if sum(entry.stat().st_size for entry in kept) > KEPT_BYTES:
            for entry in kept:
                os.unlink(entry)
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)


def pytest_collection_finish():
    # Modules stay to the end, so looking through them for garbage again and again is in vain.
    gc.freeze()


@pytest.fixture
def as_users_run_it(monkeypatch):
    """Turn the shape checks of the test run off, so that the library's own errors show."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.fixture
def error_of(as_users_run_it):
    """Return a function from a call that is a mistake to what its users are told."""
    # Here, because nothing of ours may be imported before shapes are checked.
    from first_occupancy.core.errors import InputError

    def told(call):
        with pytest.raises(InputError) as caught:
            call()
        return str(caught.value)

    return told
