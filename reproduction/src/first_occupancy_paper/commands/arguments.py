"""The commands and their options. Nothing heavy is imported, so that `--help` is fast."""

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add(commands: Commands) -> None:
    """Add our commands to those of `first-occupancy`, which finds this by its entry point."""
    _add_list(commands)
    _add_reproduce(commands)
    _add_sweep(commands)
    _add_run(commands)
    _add_bench(commands)


def _add_list(commands: Commands) -> None:
    listing = commands.add_parser("list", help="list the experiments and which are done")
    _add_results(listing)
    _add_size(listing)
    listing.set_defaults(run=("first_occupancy_paper.commands.reproduce", "show_list"))


def _add_reproduce(commands: Commands) -> None:
    reproduce = commands.add_parser(
        "reproduce", help="run the paper's experiments and write the ledger"
    )
    reproduce.add_argument(
        "names", nargs="*", metavar="NAME", help="experiments to run (default: all)"
    )
    reproduce.add_argument(
        "--jobs", type=int, metavar="N", help="number of processes (default: one per core)"
    )
    _add_results(reproduce)
    _add_size(reproduce)
    reproduce.set_defaults(run=("first_occupancy_paper.commands.reproduce", "run"))


def _add_sweep(commands: Commands) -> None:
    sweep = commands.add_parser(
        "sweep",
        help="run an experiment over a grid of settings and seeds, locally or on a cluster",
        description="Run an experiment for every combination of settings, with every seed. "
        "Jobs whose results are stored are not run again.",
    )
    sweep.add_argument("name", nargs="?", metavar="NAME", help="experiment to run")
    sweep.add_argument(
        "--from", dest="module", metavar="MODULE", help="module that defines your own experiment"
    )
    sweep.add_argument(
        "--set",
        nargs="+",
        action="extend",
        metavar="FIELD=A,B",
        help="values of a setting, separated by commas; colons separate the items of one value",
    )
    sweep.add_argument(
        "--seeds",
        default="1",
        metavar="N",
        help="number of seeds, or a range FIRST-LAST such as 0-9 (default: %(default)s)",
    )
    sweep.add_argument("--fields", action="store_true", help="list the settings and exit")
    sweep.add_argument(
        "--jobs", type=int, metavar="N", help="number of workers (default: one per core)"
    )
    sweep.add_argument(
        "--on",
        default="local",
        metavar="PLACE",
        help="where to run: local or ray (default: %(default)s)",
    )
    sweep.add_argument(
        "--address", metavar="HOST:PORT", help="address of the Ray cluster's head; needs --on ray"
    )
    sweep.add_argument(
        "--by",
        nargs="+",
        metavar="NAME",
        help="numbers of the rows that are no measurements, such as a step: the table has a line "
        "for each of their values",
    )
    sweep.add_argument(
        "--parquet", action="store_true", help="write rows and table as Parquet (extra 'tables')"
    )
    _add_results(sweep)
    sweep.set_defaults(run=("first_occupancy_paper.commands.sweep", "run"))


def _add_run(commands: Commands) -> None:
    run = commands.add_parser(
        "run",
        help="train the agents of an experiment that takes long (the Jaco arm)",
        description="Pre-train and fine-tune agents on the Jaco arm, many runs in parallel. "
        "The defaults are the paper's sizes and need a GPU; --quick takes minutes without one.",
    )
    run.add_argument("name", metavar="NAME", help="experiment to run: jaco_reaching")
    run.add_argument(
        "--agents",
        metavar="A,B",
        help="any of apf, aps, ddpg, apf_printed, apf_exact, separated by commas "
        "(default: apf,aps)",
    )
    run.add_argument(
        "--seeds",
        metavar="N",
        help="number of seeds, or a range FIRST-LAST such as 4-7 (default: 10)",
    )
    run.add_argument(
        "--task",
        help="target of fine-tuning: reach_top_left, reach_top_right, "
        "reach_bottom_left or reach_bottom_right (default: reach_top_left)",
    )
    run.add_argument(
        "--hand-over",
        metavar="WAY",
        help="how fine-tuning takes over the pre-trained agent: as_published or repaired "
        "(default: as_published)",
    )
    for name, what in _RUN_NUMBERS.items():
        run.add_argument(f"--{name}", type=int, metavar="N", help=what)
    run.add_argument(
        "--precision",
        help="precision of matrix products: float32, tensorfloat32 or bfloat16 "
        "(default: tensorfloat32)",
    )
    bounded = (
        "clip learned values to the range of possible returns: recommended for your own runs, in "
        "which APF and APS learn faster with it; runs that reproduce the paper go without"
    )
    run.add_argument("--bounded", action="store_true", default=None, help=bounded)
    run.add_argument(
        "--soft",
        action="store_true",
        help="soft features in pre-training: they are reached to the degree that they are "
        "positive, without a threshold",
    )
    run.add_argument(
        "--pretrained",
        metavar="FOLDER",
        help="fine-tune the pre-trained agents of another run, given by its --out; agents, seeds "
        "and all other settings of pre-training are taken from there",
    )
    run.add_argument("--quick", action="store_true", help="small run, for a first impression only")
    run.add_argument("--resume", action="store_true", help="continue from the last checkpoint")
    run.add_argument(
        "--minutes", type=float, metavar="M", help="stop within M minutes, with a checkpoint"
    )
    run.add_argument(
        "--save-every",
        type=float,
        default=240.0,
        metavar="SECONDS",
        help="seconds between checkpoints (default: %(default)s)",
    )
    run.add_argument("--no-figure", action="store_true", help="draw no figures")
    _add_results(run)
    run.set_defaults(run=("first_occupancy_paper.commands.run", "run"))


_RUN_NUMBERS = {
    "steps": "environment steps of each run in each phase (1000000)",
    "pretraining-steps": "the same, for pre-training (without rewards) only",
    "finetuning-steps": "the same, for fine-tuning on the task only; 0 skips it",
    "first-steps": "steps of each phase before learning starts (4000)",
    "environments": "parallel environments of each run (2)",
    "evaluate-every": "steps between evaluations (10000)",
    "episodes": "episodes per evaluation (10)",
    "width": "width of the networks (1024)",
    "batch": "batch size of each update (1024)",
}


def _add_bench(commands: Commands) -> None:
    bench = commands.add_parser(
        "bench", help="time the library against other libraries and hardware limits"
    )
    bench.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="benchmarks to run (default: all but 'interval_coverage', 'lab' and 'tours')",
    )
    bench.add_argument("--quick", action="store_true", help="small sizes, for a first impression")
    _add_results(bench)
    bench.set_defaults(run=("first_occupancy_paper.commands.bench", "run"))


def _add_size(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="small runs, for a first impression")
    _add_seed(parser)


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed (default: %(default)s)"
    )


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        default="output",
        metavar="FOLDER",
        help="folder for results (default: %(default)s)",
    )
