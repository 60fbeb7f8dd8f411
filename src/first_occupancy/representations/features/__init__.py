"""First-occupancy and successor features: occupancies of continuous worlds.

`maps` has feature maps, `targets` defines what is predicted about them, `linear` learns linear
predictions, `walks` does so for many policies at once, and `networks` trains neural networks. The
last has to be imported by itself, since it loads optax.
"""

from first_occupancy.representations.features import linear, maps, targets, walks

__all__ = ["linear", "maps", "targets", "walks"]
