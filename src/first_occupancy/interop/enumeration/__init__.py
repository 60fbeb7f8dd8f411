"""Exact worlds of environments whose state can be copied, by visiting every state once.

`jax_worlds` steps functional environments in JAX in bulk; `copied_worlds` saves and restores the
states of Gymnasium's and MiniGrid's, in ways that may be added to (`copying`); `outcome_worlds`
takes the exact outcomes of actions. All give an `EnumeratedWorld` (`enumerated_worlds`).
"""
