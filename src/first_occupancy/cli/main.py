"""`first-occupancy`: the commands and how they fail.

Parsing imports nothing heavy, so that `--help` answers at once; each command loads what
it needs when it runs.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

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
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_plan(commands)
    _add_list(commands)
    _add_reproduce(commands)
    _add_sweep(commands)
    _add_run(commands)
    _add_bench(commands)
    _add_lab(commands)
    return parser


def _version() -> str:
    try:
        return version("first-occupancy")
    except PackageNotFoundError:  # run from a copy of the code that is not installed
        return "unknown"


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


def _add_sweep(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    sweep = commands.add_parser(
        "sweep",
        help="run an experiment over values of its settings and seeds, here or on a cluster",
        description="Run an experiment for every combination of values, and every seed. "
        "What is stored is not run again.",
    )
    sweep.add_argument("name", nargs="?", metavar="NAME", help="experiment")
    sweep.add_argument(
        "--from", dest="module", metavar="MODULE", help="where your own experiment is"
    )
    sweep.add_argument(
        "--set",
        nargs="+",
        action="extend",
        metavar="FIELD=A,B",
        help="values of a setting, commas between them, colons within one",
    )
    sweep.add_argument(
        "--seeds", default="1", metavar="N", help="how many, or FIRST-LAST as in 0-9 (%(default)s)"
    )
    sweep.add_argument("--fields", action="store_true", help="show the settings, run nothing")
    sweep.add_argument("--jobs", type=int, metavar="N", help="workers; one per core if none")
    sweep.add_argument("--on", default="local", metavar="PLACE", help="local or ray (%(default)s)")
    sweep.add_argument("--address", metavar="HOST:PORT", help="of the Ray cluster's head")
    _add_results(sweep)
    sweep.set_defaults(run=_sweep)


def _add_run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    run = commands.add_parser(
        "run",
        help="train agents that take long, such as on the Jaco arm",
        description="Pre-train and fine-tune agents on the Jaco arm, many runs at once. "
        "Defaults are the paper's size, which takes a GPU; --quick takes minutes without.",
    )
    run.add_argument("name", metavar="NAME", help="what to run: jaco_reaching")
    run.add_argument(
        "--agents",
        metavar="A,B",
        help="of apf, aps, ddpg, apf_printed, apf_exact, with commas (apf,aps)",
    )
    run.add_argument("--seeds", metavar="N", help="how many, or FIRST-LAST as in 4-7 (10)")
    run.add_argument("--task", help="reach_top_left (default), _top_right, _bottom_left, ...")
    run.add_argument("--hand-over", metavar="WAY", help="as_published (default) or repaired")
    for name, what in _RUN_NUMBERS.items():
        run.add_argument(f"--{name}", type=int, metavar="N", help=what)
    run.add_argument("--precision", help="float32, tensorfloat32 (default) or bfloat16")
    bounded = "keep values within what rewards can be worth"
    run.add_argument("--bounded", action="store_true", default=None, help=bounded)
    run.add_argument(
        "--pretrained",
        metavar="FOLDER",
        help="the --out of another run: fine-tune what it learned without rewards; agents, seeds "
        "and all else that pre-training depends on come from there",
    )
    run.add_argument("--quick", action="store_true", help="a small run that shows the shape only")
    run.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    run.add_argument("--minutes", type=float, metavar="M", help="stop in time, with a checkpoint")
    run.add_argument(
        "--save-every",
        type=float,
        default=240.0,
        metavar="SECONDS",
        help="between checkpoints (%(default)s)",
    )
    run.add_argument("--tensorboard", action="store_true", help="write TensorBoard's files as well")
    run.add_argument("--strip", metavar="FILE.png", help="save pictures of the trained arm")
    run.add_argument("--no-figure", action="store_true", help="rows only")
    _add_results(run)
    run.set_defaults(run=_run)


_RUN_NUMBERS = {
    "steps": "of each run in each phase (1000000)",
    "pretraining-steps": "instead, without rewards",
    "finetuning-steps": "instead, on the task; 0: pre-train only",
    "first-steps": "of each phase, before learning begins (4000)",
    "environments": "of each run, moving at once (2)",
    "evaluate-every": "steps (10000)",
    "episodes": "of each evaluation (10)",
    "width": "of the networks (1024)",
    "batch": "of each step of learning (1024)",
}


def _add_bench(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    bench = commands.add_parser(
        "bench", help="time the library against its peers and the machine's limits"
    )
    bench.add_argument("names", nargs="*", metavar="NAME", help="benchmarks; all if none")
    bench.add_argument("--quick", action="store_true", help="small sizes that show the shape only")
    _add_results(bench)
    bench.set_defaults(run=_bench)


def _add_lab(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    lab = commands.add_parser(
        "lab",
        help="open a page to draw mazes and watch plans",
        description="Serve the lab on this machine (127.0.0.1) and open it in the browser.",
    )
    lab.add_argument(
        "--port", type=int, default=8421, metavar="N", help="0 takes any free one (%(default)s)"
    )
    lab.add_argument("--no-browser", action="store_true", help="serve only")
    lab.set_defaults(run=_lab)


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


def _sweep(options: argparse.Namespace) -> int:
    from first_occupancy.cli import sweep

    return sweep.run(options)


def _run(options: argparse.Namespace) -> int:
    from first_occupancy.cli import run

    return run.run(options)


def _bench(options: argparse.Namespace) -> int:
    from first_occupancy.cli import bench

    return bench.run(options)


def _lab(options: argparse.Namespace) -> int:
    from first_occupancy.cli import lab

    return lab.run(options)


if __name__ == "__main__":
    sys.exit(main())
