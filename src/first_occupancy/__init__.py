"""First-occupancy representations (FRs): how soon states are first reached, and plans from them.

Names load on first use, so that the command line can answer without waiting for JAX to load. Even
what loads them is imported on first use, so that the command line handles Ctrl-C at once.
"""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Return a public name, from the module that `__init__.pyi` gives for it."""
    load, _, names = _attach()
    return names if name == "__all__" else load(name)


def __dir__() -> list[str]:
    return _attach()[1]()


def _attach() -> tuple:
    import lazy_loader

    found = lazy_loader.attach_stub(__name__, __file__)
    globals().update(zip(("__getattr__", "__dir__", "__all__"), found, strict=True))
    return found
