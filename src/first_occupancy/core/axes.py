"""Letters that stand for the axes of arrays, and types of single numbers.

S states, A actions, N base policies, G goals, D features, K basis functions, O numbers in
an observation, T time, B batch, E episodes (or environments, where several move at once), R runs.
Where a file needs other letters, it says what they count.
"""

from jaxtyping import Array, ArrayLike, Float, Int, Key

Scalar = Float[ArrayLike, ""]
"""A real number that may be a Python float or a traced array."""

Index = Int[ArrayLike, ""]
"""A state, action or policy number, as a Python int or a traced array."""

PRNGKey = Key[Array, ""]
"""A JAX random key, as made by `jax.random.key`."""
