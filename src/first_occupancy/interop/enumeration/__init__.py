"""Exact worlds of environments whose state can be copied, by visiting every state once.

    world = enumerate_jax(gymnax_environment, params=params)      # gymnax, Navix, your own in JAX
    world = enumerate_copies(gymnasium.make("MiniGrid-DoorKey-8x8-v0"))
    plan = fo.plan(world, world.where(lambda state: state.door_is_open), discount=0.95)

| module | |
| --- | --- |
| `jax_worlds` | functional JAX environments: states stepped in bulk under `vmap` |
| `functional_environments` | what such an environment is, and gymnax and Navix as such |
| `copied_worlds` | Gymnasium environments, MiniGrid: states stepped one by one, on processes |
| `copying` | how the state of an environment is saved and restored; yours may be added |
| `minigrid_copies` | the full state of MiniGrid |
| `worlds` | the result: a sparse world, its ends, and the error of sampled probabilities |
| `state_tables` | from states to their numbers, under `jit` |
"""
