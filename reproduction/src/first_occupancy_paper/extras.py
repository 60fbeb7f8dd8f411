"""The command that installs an extra of this package, for error messages."""

from first_occupancy.core.install_hints import install_command


def extra_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, as in `pyproject.toml`."""
    return install_command(extra, project="first-occupancy-paper", folder="./reproduction")
