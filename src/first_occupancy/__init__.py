"""First-occupancy representations: how soon things are reached, and plans made of it.

Names load on first use, so that the command line can answer before JAX has started.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
