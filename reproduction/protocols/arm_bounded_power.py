"""Simulate how often the registered test's intervals cover, and what it would find.

`python reproduction/protocols/arm_bounded_power.py` prints the two tables of `arm_bounded.md`.
"""

import numpy as np
from arm_bounded import AGENTS, EARLY, LEVEL, MARGIN, UNBOUNDED, mean_return, returns_of
from scipy import stats

REPETITIONS, RUNS = 40_000, 10
SHAPE = (REPETITIONS, RUNS)
RANDOM = np.random.default_rng(0)


def main() -> None:
    """Print coverage by distribution, and verdicts by true difference."""
    for name, interval, x, y in _distributions():
        shares = [
            np.mean((low <= 0) & (high >= 0))
            for low, high in (interval(x, y, level) for level in (0.95, LEVEL))
        ]
        print(f"{name:55s}", *(f"{share:.3f}" for share in shares))
    controls = {
        agent: np.array(
            [mean_return(curve, EARLY) for curve in returns_of(agent, UNBOUNDED).values()]
        )
        for agent in AGENTS
    }
    for true in (-10, 0, 10, 20, 30):
        found = [
            _welch(_normal(spread) + control.mean() + true, np.tile(control, (REPETITIONS, 1)))
            for control, spread in zip(controls.values(), (17, 14), strict=True)
        ]
        found.append(_paired(_normal(17) + true, np.zeros(SHAPE)))
        shares = [(np.mean(low > 0), np.mean((low <= 0) & (high < MARGIN))) for low, high in found]
        widths = [np.mean(high - low) / 2 for low, high in found]
        texts = [f"{yes:.2f} / {no:.2f}" for yes, no in shares]
        print(f"true difference {true:3d}:", *texts, "half-widths", *(f"{w:.1f}" for w in widths))


def _distributions():
    """Yield runs whose mean is 0, by what they are like."""
    yield "A, normal", _welch, _normal(17), _normal(9)
    yield "A, gamma, skewness 1 on both sides", _welch, _gamma(1, 17), _gamma(1, 9)
    yield "A, gamma, skewness 2 on both sides", _welch, _gamma(2, 17), _gamma(2, 9)
    yield "A, gamma, skewness 2 and -2", _welch, _gamma(2, 17), _gamma(-2, 9)
    yield "A, normal, 5% of bounded runs fail by 50", _welch, _failing(17, 50), _normal(9)
    yield "B, normal", _paired, _normal(19), _normal(10)
    yield "B, gamma, skewness -1 in both", _paired, _gamma(-1, 19), _gamma(-1, 10)
    yield "B, gamma, skewness 2 and -2", _paired, _gamma(2, 19), _gamma(-2, 10)
    yield "B, normal, 5% of all runs fail by 130", _paired, _failing(19, 130), _failing(10, 130)
    yield "B, normal, 5% of APF's runs fail by 130", _paired, _failing(19, 130), _normal(10)


def _normal(spread: float) -> np.ndarray:
    return spread * RANDOM.normal(size=SHAPE)


def _gamma(skewness: float, spread: float) -> np.ndarray:
    shape = 4 / skewness**2
    return np.sign(skewness) * spread * (RANDOM.gamma(shape, size=SHAPE) - shape) / shape**0.5


def _failing(spread: float, by: float, share: float = 0.05) -> np.ndarray:
    return _normal(spread) - by * ((RANDOM.random(SHAPE) < share) - share)


def _welch(x: np.ndarray, y: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    return tuple(stats.ttest_ind(x, y, axis=1, equal_var=False).confidence_interval(level))


def _paired(x: np.ndarray, y: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    return tuple(stats.ttest_1samp(x - y, 0, axis=1).confidence_interval(level))


if __name__ == "__main__":
    main()
