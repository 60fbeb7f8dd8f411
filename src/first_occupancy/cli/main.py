"""`first-occupancy`: run one command, and turn what went wrong into an exit code.

Each command imports what it needs when it runs, so that `--help` is fast.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from first_occupancy.cli import interrupts
from first_occupancy.cli.parsing import command_parser, missing_package

_WITHOUT_JAX = ("lab", "completion")
"""Commands that compute nothing with JAX; the lab's page computes by itself."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 2, with one line on stderr, for invalid input."""
    _open_closed_streams()
    words = sys.argv[1:] if arguments is None else arguments
    parser = command_parser()
    if (missing := missing_package(parser, words)) is not None:
        print(f"first-occupancy {words[0]}: {missing}", file=sys.stderr)
        return 2
    if not words:
        parser.print_help()
        return 0
    options = parser.parse_args(words)
    try:
        if options.command not in _WITHOUT_JAX:
            _use_double_precision()
        name, function = options.run
        module = import_module(name)
        with interrupts.interruptible():
            code = getattr(module, function)(options)
            sys.stdout.flush()
            return code
    except BrokenPipeError:  # for example if the output is piped to `head`
        _give_up_output()
        return 0
    except KeyboardInterrupt:
        interrupts.tell()
        return interrupts.EXIT_CODE
    except Exception as error:
        from first_occupancy.core.errors import InputError

        if not isinstance(error, InputError | OSError):
            raise
        said = _one_line(error).removeprefix(f"{options.command}: ")
        print(f"first-occupancy {options.command}: {said}", file=sys.stderr)
        if isinstance(error, OSError):
            _give_up_output()  # it may be the standard output that cannot be written to
        return 2


def _open_closed_streams() -> None:
    """Give closed streams, as after `>&-`, somewhere to go.

    Otherwise the next file that is opened would become the standard output.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115


def _give_up_output() -> None:
    """Send what is still to be printed nowhere, so that Python can end in peace."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _use_double_precision() -> None:
    # The application chooses the precision, not the library: see docs/accuracy.md.
    import jax

    jax.config.update("jax_enable_x64", True)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


if __name__ == "__main__":
    sys.exit(main())
