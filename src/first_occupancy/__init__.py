"""First-occupancy representations (FRs): how soon states are first reached, and plans from them.

Names load on first use, so that the command line can answer without waiting for JAX to load.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
