r"""Places for the states of a world that has none: linked states are drawn close together.

Coordinates are the eigenvectors of the graph's Laplacian with the smallest positive eigenvalues,
which minimise $\sum (x_i - x_j)^2$ over the links (Hall 1970). Springs then spread small graphs
out (Fruchterman and Reingold 1991).
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import coo_array, csgraph, csr_array, eye_array
from scipy.sparse.linalg import eigsh

MOST_SPRINGS = 1_000
"""States up to which springs spread the layout out: their number grows with the square."""

ROUNDS = 60

FEW = 50
"""States up to which all eigenvectors are computed at once."""


def spring_layout(links: Int[np.ndarray, "K 2"], num_states: int) -> Float[np.ndarray, "S 2"]:
    """Return (x, y) of each state, from 0 to 1."""
    begins, ends = links[links[:, 0] != links[:, 1]].T
    ones = np.ones(2 * len(begins))
    pairs = (np.append(begins, ends), np.append(ends, begins))
    graph = csr_array(coo_array((ones, pairs), shape=(num_states, num_states)))
    graph.data[:] = 1
    places = _spectral(graph, num_states)
    if 2 < num_states <= MOST_SPRINGS:
        places = _sprung(places, graph.toarray() > 0)
    span = np.ptp(places, axis=0).max()
    return (places - places.min(axis=0)) / (span or 1.0)


def _spectral(graph: csr_array, size: int) -> Float[np.ndarray, "S 2"]:
    # A little weight on everything keeps parts that are not linked apart from a singular matrix.
    laplacian = csgraph.laplacian(graph) + 1e-6 * eye_array(size)
    if size <= FEW:
        vectors = np.linalg.eigh(laplacian.toarray())[1]
    else:
        start = np.random.default_rng(0).standard_normal(size)
        vectors = eigsh(laplacian.tocsc(), k=3, sigma=0.0, v0=start)[1]
    found = np.zeros((size, 2))
    found[:, : vectors[:, 1:3].shape[1]] = vectors[:, 1:3]
    return found / (np.abs(found).max() or 1.0)


def _sprung(places: np.ndarray, linked: np.ndarray) -> Float[np.ndarray, "S 2"]:
    size = len(places)
    rng, length = np.random.default_rng(0), 1 / np.sqrt(size)
    places = places + 1e-3 * rng.standard_normal(places.shape)  # no two in one place
    for step in np.linspace(0.1, 1e-3, ROUNDS):
        apart = places[:, None] - places[None]
        far = np.sqrt(np.square(apart).sum(axis=2)).clip(1e-4)
        push = np.square(length / far) - linked * far / length
        moves = (apart * push[..., None]).sum(axis=1)
        sizes = np.linalg.norm(moves, axis=1, keepdims=True).clip(1e-12)
        places = places + moves / sizes * np.minimum(sizes, step)
    return places
