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
    _add_size(listing)
    listing.set_defaults(run=("first_occupancy_paper.commands.reproduce", "show_list"))


def _add_reproduce(commands: Commands) -> None:
    about = "run the paper's experiments and write the ledger"
    reproduce = commands.add_parser("reproduce", help=about)
    add = reproduce.add_argument
    add("names", nargs="*", metavar="NAME", help="experiments to run (default: all)")
    add("--jobs", type=int, metavar="N", help="number of processes (default: one per core)")
    _add_size(reproduce)
    reproduce.set_defaults(run=("first_occupancy_paper.commands.reproduce", "run"))


def _add_sweep(commands: Commands) -> None:
    sweep = commands.add_parser(
        "sweep",
        help="run an experiment over a grid of settings and seeds, locally or on a cluster",
        description="Run an experiment for every combination of settings, with every seed. "
        "Jobs whose results are stored are not run again.",
    )
    add = sweep.add_argument
    add("name", nargs="?", metavar="NAME", help="experiment to run")
    own = "module that defines your own experiment"
    add("--from", dest="module", metavar="MODULE", help=own)
    values = "values of a setting, separated by commas; colons separate the items of one value"
    add("--set", nargs="+", action="extend", metavar="FIELD=A,B", help=values)
    seeds = "number of seeds, or a range FIRST-LAST such as 0-9 (default: %(default)s)"
    add("--seeds", default="1", metavar="N", help=seeds)
    add("--fields", action="store_true", help="list the settings and exit")
    add("--jobs", type=int, metavar="N", help="number of workers (default: one per core)")
    place = "where to run: local or ray (default: %(default)s)"
    add("--on", default="local", metavar="PLACE", help=place)
    head = "address of the Ray cluster's head; needs --on ray"
    add("--address", metavar="HOST:PORT", help=head)
    add(
        "--by",
        nargs="+",
        metavar="NAME",
        help="numbers of the rows that are no measurements, such as a step: the table has a line "
        "for each of their values",
    )
    parquet = "write rows and table as Parquet (extra 'tables')"
    add("--parquet", action="store_true", help=parquet)
    _add_results(sweep)
    sweep.set_defaults(run=("first_occupancy_paper.commands.sweep", "run"))


def _add_run(commands: Commands) -> None:
    run = commands.add_parser(
        "run",
        help="train the agents of an experiment that takes long (the Jaco arm)",
        description="Pre-train and fine-tune agents on the Jaco arm, many runs in parallel. "
        "The defaults are the paper's sizes and need a GPU; --quick takes minutes without one.",
    )
    add = run.add_argument
    add("name", metavar="NAME", help="experiment to run: jaco_reaching")
    for name, (metavar, what) in _RUN_TEXTS.items():
        add(f"--{name}", metavar=metavar, help=what)
    for name, what in _RUN_NUMBERS.items():
        add(f"--{name}", type=int, metavar="N", help=what)
    for name, what in _RUN_SWITCHES.items():
        add(f"--{name}", action="store_true", help=what)
    run.set_defaults(bounded=None)  # then it is that of the run to continue
    minutes = "stop within M minutes, with a checkpoint"
    add("--minutes", type=float, metavar="M", help=minutes)
    every = "seconds between checkpoints (default: %(default)s)"
    add("--save-every", type=float, default=240.0, metavar="SECONDS", help=every)
    _add_results(run)
    run.set_defaults(run=("first_occupancy_paper.commands.run", "run"))


_RUN_TEXTS = {
    "agents": (
        "A,B",
        "any of apf, aps, ddpg, apf_printed, apf_exact, separated by commas (default: apf,aps)",
    ),
    "seeds": ("N", "number of seeds, or a range FIRST-LAST such as 4-7 (default: 10)"),
    "task": (
        None,
        "target of fine-tuning: reach_top_left, reach_top_right, reach_bottom_left or "
        "reach_bottom_right (default: reach_top_left)",
    ),
    "hand-over": (
        "WAY",
        "how fine-tuning takes over the pre-trained agent: as_published or repaired "
        "(default: as_published)",
    ),
    "precision": (
        None,
        "precision of matrix products: float32, tensorfloat32 or bfloat16 (default: tensorfloat32)",
    ),
    "pretrained": (
        "FOLDER",
        "fine-tune the pre-trained agents of another run, given by its --out; agents, seeds and "
        "all other settings of pre-training are taken from there",
    ),
}

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

_RUN_SWITCHES = {
    "bounded": "clip learned values to the range of possible returns: recommended for your own "
    "runs, in which APF and APS learn faster with it; runs that reproduce the paper go without",
    "soft": "soft features in pre-training: they are reached to the degree that they are positive, "
    "without a threshold",
    "quick": "small run, for a first impression only",
    "resume": "continue from the last checkpoint",
    "no-figure": "draw no figures",
}


def _add_bench(commands: Commands) -> None:
    about = "time the library against other libraries and hardware limits"
    bench = commands.add_parser("bench", help=about)
    left_out = "'collecting', 'interval_coverage', 'lab' and 'tours'"
    names = f"benchmarks to run (default: all but {left_out})"
    bench.add_argument("names", nargs="*", metavar="NAME", help=names)
    small = "small sizes, for a first impression"
    bench.add_argument("--quick", action="store_true", help=small)
    _add_results(bench)
    bench.set_defaults(run=("first_occupancy_paper.commands.bench", "run"))


def _add_size(parser: argparse.ArgumentParser) -> None:
    small, seed = "small runs, for a first impression", "random seed (default: %(default)s)"
    _add_results(parser)
    parser.add_argument("--quick", action="store_true", help=small)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help=seed)


def _add_results(parser: argparse.ArgumentParser) -> None:
    where = "folder for results (default: %(default)s)"
    parser.add_argument("--out", default="output", metavar="FOLDER", help=where)
