"""The commands and their options. Nothing heavy is imported, so that `--help` is fast."""

import argparse
from importlib.metadata import PackageNotFoundError, version

DESCRIPTION = "First-occupancy representations: how soon states are reached, and how to plan there."


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; `run` of its result is a module and a function."""
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
    _add_completion(commands, parser)
    return parser


def _version() -> str:
    try:
        return version("first-occupancy")
    except PackageNotFoundError:  # run from source, not installed
        return "unknown"


def _add_plan(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    plan = commands.add_parser(
        "plan",
        help="plan a path through a drawn maze",
        description="Plan a path from S through every G of a drawing: '#' is a wall, '.' or ' ' "
        "is free, '^', '>', 'v' and '<' can be left only that way, and a digit from 1 to 9 is the "
        "cost of entering a cell. Each base policy repeats one move.",
    )
    plan.add_argument(
        "maze",
        metavar="MAZE.txt",
        help="file with the drawing, - for stdin, or an image (.png) with a pixel for each cell",
    )
    plan.add_argument("--start", metavar="ROW,COLUMN", help="start here instead of at the S")
    plan.add_argument(
        "--goal",
        metavar="ROW,COLUMN",
        action="append",
        help="go here instead of to the G; may be repeated",
    )
    plan.add_argument(
        "--switches",
        metavar="K",
        type=int,
        help="maximum number of policy switches; 0 is GPI (default: no limit)",
    )
    plan.add_argument(
        "--moves", type=int, choices=(4, 8), default=4, help="number of directions (%(default)s)"
    )
    plan.add_argument(
        "--discount", type=float, default=0.95, help="discount factor per step (%(default)s)"
    )
    plan.add_argument(
        "--noise", type=float, default=0.0, help="probability of a random move (%(default)s)"
    )
    plan.add_argument(
        "--corners",
        choices=("forbid", "strict", "allow"),
        default="forbid",
        help="diagonal moves: forbid those between two walls, with strict those past any wall, or "
        "allow all (%(default)s)",
    )
    plan.add_argument(
        "--return", dest="returns", action="store_true", help="go back to the start in the end"
    )
    plan.add_argument("--last", metavar="ROW,COLUMN", help="visit this goal last")
    plan.add_argument(
        "--tolerance",
        type=float,
        metavar="T",
        help="under noise, stop improving a plan as soon as none can gain more than this; "
        "faster (default: no plan can gain anything)",
    )
    plan.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="time limit of the search for the order of more than 16 goals (extra 'tours')",
    )
    plan.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="B",
        help="brightness from which a pixel of an image is free (%(default)s)",
    )
    plan.add_argument("--json", action="store_true", help="print the tour as JSON, for programs")
    plan.add_argument("--out", metavar="FILE", help="save a figure as .png, .svg or .pdf")
    plan.add_argument(
        "--plans",
        metavar="FILE.npz",
        help="save the plans to all goals; load_plans looks them up from any cell",
    )
    plan.set_defaults(run=("plan", "run"))


def _add_list(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    listing = commands.add_parser("list", help="list the experiments and which are done")
    _add_results(listing)
    _add_size(listing)
    listing.set_defaults(run=("reproduce", "show_list"))


def _add_reproduce(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
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
    reproduce.set_defaults(run=("reproduce", "run"))


def _add_sweep(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
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
        help="number of seeds, or a range FIRST-LAST such as 0-9 (%(default)s)",
    )
    sweep.add_argument("--fields", action="store_true", help="list the settings and exit")
    sweep.add_argument(
        "--jobs", type=int, metavar="N", help="number of workers (default: one per core)"
    )
    sweep.add_argument(
        "--on", default="local", metavar="PLACE", help="where to run: local or ray (%(default)s)"
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
    sweep.set_defaults(run=("sweep", "run"))


def _add_run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
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
        help="any of apf, aps, ddpg, apf_printed, apf_exact, separated by commas (apf,aps)",
    )
    run.add_argument(
        "--seeds", metavar="N", help="number of seeds, or a range FIRST-LAST such as 4-7 (10)"
    )
    run.add_argument(
        "--task",
        help="target of fine-tuning: reach_top_left (default), reach_top_right, "
        "reach_bottom_left or reach_bottom_right",
    )
    run.add_argument(
        "--hand-over",
        metavar="WAY",
        help="how fine-tuning takes over the pre-trained agent: as_published (default) or repaired",
    )
    for name, what in _RUN_NUMBERS.items():
        run.add_argument(f"--{name}", type=int, metavar="N", help=what)
    run.add_argument(
        "--precision",
        help="precision of matrix products: float32, tensorfloat32 (default) or bfloat16",
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
        help="seconds between checkpoints (%(default)s)",
    )
    run.add_argument("--tensorboard", action="store_true", help="also write TensorBoard files")
    run.add_argument("--strip", metavar="FILE.png", help="save pictures of the trained arm")
    run.add_argument("--no-figure", action="store_true", help="draw no figures")
    _add_results(run)
    run.set_defaults(run=("run", "run"))


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


def _add_bench(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
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
    bench.set_defaults(run=("bench", "run"))


def _add_lab(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    lab = commands.add_parser(
        "lab",
        help="open the lab: a web page to draw mazes and explore plans",
        description="Serve the lab on this machine (127.0.0.1) and open it in the browser. "
        "The page computes by itself: --save writes it as one file that opens without a server.",
    )
    lab.add_argument(
        "--port",
        type=int,
        default=8421,
        metavar="N",
        help="port to serve on; 0 picks a free one (%(default)s)",
    )
    lab.add_argument("--no-browser", action="store_true", help="do not open a browser")
    lab.add_argument("--save", metavar="FILE", help="write the page as one HTML file, and end")
    lab.set_defaults(run=("lab", "run"))


def _add_completion(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parser: argparse.ArgumentParser
) -> None:
    completion = commands.add_parser(
        "completion",
        help="print a script that completes commands and options in a shell",
        description="Print a completion script. For bash, add to ~/.bashrc: "
        'eval "$(first-occupancy completion bash)"; for zsh the same in ~/.zshrc, after compinit; '
        "for fish: first-occupancy completion fish > ~/.config/fish/completions/"
        "first-occupancy.fish",
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")
    completion.set_defaults(run=("completion", "run"), parser=parser)


def _add_size(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="small runs, for a first impression")
    _add_seed(parser)


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed (%(default)s)"
    )


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", default="output", metavar="FOLDER", help="folder for results (%(default)s)"
    )
