r"""How a place between landmarks is shared out among the nearest of them.

*By a kernel*: the nearer a landmark, the larger its share. Values between landmarks are averages
of those around, which blurs them at every move.

*In balance*: of all shares $w \ge 0$ that sum to 1, those closest to a kernel's (in relative
entropy; the kernel is as wide as the middle landmark is far) whose mean is the place itself,

$$\min_w \sum_i w_i \log \frac{w_i}{k_i}, \qquad \sum_i w_i x_i = x,$$

so that linear functions are interpolated, and mostly curvature is blurred. The solution is
$w_i \propto k_i\, e^{\lambda \cdot (x_i - x)}$; $\lambda$ minimises a smooth convex function, here
by Newton's method. A small ridge keeps $\lambda$ finite where no shares are in balance: beyond all
landmarks, on a circle of cosine and sine, or among too few landmarks for the number of dimensions.
There the mean comes as close to the place as it can; elsewhere the ridge leaves it off by a
hundredth of $\lambda$.
"""

import numpy as np
from jaxtyping import Float

KERNEL = 0.5
"""Width of the kernel, in spacings."""

AROUND = 1.5
"""Places are shared out among landmarks within so many spacings, or with the nearest."""

RIDGE = 0.01
"""Ridge on $\\lambda$, in units of the distance of the middle landmark."""

ROUNDS, SETTLED, LONGEST = 200, 1e-4, 2.0
"""Most rounds of Newton's method, the step at which it has converged, and its longest step."""


def kernel_shares(far: Float[np.ndarray, "B k"], spacing: float) -> Float[np.ndarray, "B k"]:
    """Return shares that fall with the distance."""
    shares = np.exp(-0.5 * (far**2 - far[:, :1] ** 2) / (KERNEL * spacing) ** 2)
    # However thin, a share beyond walls would be a way out of any trap, if one only waits.
    shares[far > np.maximum(far[:, :1], AROUND * spacing)] = 0
    return shares / shares.sum(axis=1, keepdims=True)


def balanced_shares(offsets: Float[np.ndarray, "B k O"]) -> Float[np.ndarray, "B k"]:
    """Return shares with which the mean of the landmarks is the place, up to the ridge."""
    far = np.linalg.norm(offsets, axis=2)
    width = np.maximum(far[:, far.shape[1] // 2], 1e-12)[:, None]
    kernel = -0.5 * (far / width) ** 2
    offsets = offsets / width[:, :, None]
    tilts = np.zeros((len(offsets), offsets.shape[2]))
    going_on = np.arange(len(offsets))
    for _ in range(ROUNDS):
        steps = _newton_steps(kernel[going_on], offsets[going_on], tilts[going_on])
        lengths = np.linalg.norm(steps, axis=1)
        tilts[going_on] -= steps * np.minimum(1.0, LONGEST / np.maximum(lengths, LONGEST))[:, None]
        # Places beyond their landmarks take many rounds, the others a few.
        going_on = going_on[lengths >= SETTLED]
        if not len(going_on):
            break
    return _tilted(kernel, offsets, tilts)


def _newton_steps(
    kernel: Float[np.ndarray, "B k"],
    offsets: Float[np.ndarray, "B k O"],
    tilts: Float[np.ndarray, "B O"],
) -> Float[np.ndarray, "B O"]:
    shares = _tilted(kernel, offsets, tilts)
    means = np.einsum("bk,bko->bo", shares, offsets)
    around = offsets - means[:, None]
    curvature = np.einsum("bk,bko,bkp->bop", shares, around, around)
    curvature += RIDGE * np.eye(offsets.shape[2])
    return np.linalg.solve(curvature, (means + RIDGE * tilts)[..., None])[..., 0]


def _tilted(
    kernel: Float[np.ndarray, "B k"],
    offsets: Float[np.ndarray, "B k O"],
    tilts: Float[np.ndarray, "B O"],
) -> Float[np.ndarray, "B k"]:
    """Return the shares for given tilts, from the logarithm of the kernel."""
    logs = kernel + np.einsum("bko,bo->bk", offsets, tilts)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)
