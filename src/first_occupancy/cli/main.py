"""`first-occupancy`: the commands and how they fail.

Parsing imports nothing heavy, so that `--help` answers at once; each command loads what
it needs when it runs.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

DESCRIPTION = "First-occupancy representations: how soon things are reached, and plans made of it."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 2 with one line on stderr if the input cannot be used."""
    options = _parser().parse_args(arguments)
    # Applications choose the precision, the library does not: see README, "Precision".
    import jax

    from first_occupancy.core.errors import InputError

    jax.config.update("jax_enable_x64", True)
    try:
        return options.run(options)
    except BrokenPipeError:  # as when the output goes to `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (InputError, OSError) as error:
        print(f"first-occupancy {options.command}: {_one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("first-occupancy", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=version("first-occupancy"))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_plan(commands)
    _add_list(commands)
    _add_reproduce(commands)
    _add_bench(commands)
    return parser


def _add_plan(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    plan = commands.add_parser(
        "plan",
        help="plan a way through a drawn maze",
        description="Plan from S to all G of a drawing: '#' wall, '.' or ' ' free. "
        "The base policies each take one move over and over.",
    )
    plan.add_argument("maze", metavar="MAZE.txt", help="a drawing, or - for standard input")
    plan.add_argument("--start", metavar="ROW,COLUMN", help="instead of the drawing's S")
    plan.add_argument(
        "--goal", metavar="ROW,COLUMN", action="append", help="instead of its G; may be repeated"
    )
    plan.add_argument("--switches", metavar="K", type=int, help="plan K switches ahead; 0 is GPI")
    plan.add_argument(
        "--moves", type=int, choices=(4, 8), default=4, help="directions (%(default)s)"
    )
    plan.add_argument("--discount", type=float, default=0.95, help="per step (%(default)s)")
    plan.add_argument("--noise", type=float, default=0.0, help="chance of a random move")
    plan.add_argument("--out", metavar="FILE", help="save a picture as .png, .svg or .pdf")
    plan.set_defaults(run=_plan)


def _add_list(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    listing = commands.add_parser("list", help="show the experiments and which are done")
    _add_results(listing)
    _add_size(listing)
    listing.set_defaults(run=_list)


def _add_reproduce(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    reproduce = commands.add_parser(
        "reproduce", help="run the paper's experiments and write the ledger"
    )
    reproduce.add_argument("names", nargs="*", metavar="NAME", help="experiments; all if none")
    reproduce.add_argument("--jobs", type=int, metavar="N", help="processes; one per core if none")
    _add_results(reproduce)
    _add_size(reproduce)
    reproduce.set_defaults(run=_reproduce)


def _add_bench(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    bench = commands.add_parser(
        "bench", help="time the library against its peers and the machine's limits"
    )
    bench.add_argument("names", nargs="*", metavar="NAME", help="benchmarks; all if none")
    bench.add_argument("--quick", action="store_true", help="small sizes that show the shape only")
    _add_results(bench)
    bench.set_defaults(run=_bench)


def _add_size(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="small runs that show the shape only")
    _add_seed(parser)


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed (%(default)s)"
    )


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="output", metavar="FOLDER", help="results (%(default)s)")


def _plan(options: argparse.Namespace) -> int:
    from first_occupancy.cli import plan

    return plan.run(options)


def _list(options: argparse.Namespace) -> int:
    from first_occupancy.cli import reproduce

    return reproduce.show_list(options)


def _reproduce(options: argparse.Namespace) -> int:
    from first_occupancy.cli import reproduce

    return reproduce.run(options)


def _bench(options: argparse.Namespace) -> int:
    from first_occupancy.cli import bench

    return bench.run(options)


if __name__ == "__main__":
    sys.exit(main())
