"""First-occupancy and successor features: occupancies of continuous worlds.

`maps` has feature maps, `targets` what is predicted of them, `linear` learns linear predictions,
`walks` does so for many policies at once, and `networks` (imported by itself, since it loads optax)
learns with networks.
"""

from first_occupancy.representations.features import linear, maps, targets, walks

__all__ = ["linear", "maps", "targets", "walks"]
