"""Phrases that the ledger's lines share: what was run and how, and which choices are ours."""

from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS, FORMAT
from first_occupancy_paper.arm.runs.run_config import RunConfig
from first_occupancy_paper.experiments import Finding, Verdict
from first_occupancy_paper.experiments.jaco_reaching.run_curves import Setup

PAPER = "Fig. apf(b): 'the FF accelerated convergence'; no number printed"


def not_run(claim: str, missing: str) -> Finding:
    """Return the line of a claim for which there are too few rows yet.

    Args:
        claim: the statement to test.
        missing: which rows are missing, in words.
    """
    return Finding(
        claim=claim,
        paper=PAPER,
        ours=f"not run yet: {missing}",
        verdict=Verdict.NOT_RUN,
        why="It takes MuJoCo and, at the paper's size of 10 seeds with 1M steps each of "
        "pre-training and fine-tuning, hours of a GPU: first-occupancy run jaco_reaching.",
    )


def what_was_run(setup: Setup) -> str:
    """Return in words exactly what was run."""
    config, counts = setup.config, [_count(setup, agent) for agent in setup.runs]
    return (
        f"Run: {'; '.join(counts)}; {config['pretraining_steps']:,} + "
        f"{config['finetuning_steps']:,} steps planned, width {config['width']}, batch "
        f"{config['batch']}, {config['environments']} environments a run, matrix products in "
        f"{config['precision']}, {config['episodes']} episodes every {config['evaluate_every']:,} "
        f"steps, task {config['task']}, on {' and '.join(setup.hardware)}"
    )


def _count(setup: Setup, agent: str) -> str:
    """Return how many runs of an agent there are, and how far they got."""
    seeds = f"{agent} {len(setup.runs[agent])} seeds"
    if not setup.config["finetuning_steps"]:
        return f"{seeds}, pre-training only"
    finished, reached = setup.finished(agent), setup.reached(agent)
    far = f"step {min(reached):,}"
    if max(reached) > min(reached):
        far = f"steps {min(reached):,} to {max(reached):,}"
    return f"{seeds}, {len(finished)} of them to the end, evaluated up to {far}"


def choices(setup: Setup) -> str:
    """Return in words which choices are ours."""
    return (
        "APF is the repaired form (a target for each feature); threshold "
        f"{setup.config['threshold']} is ours, the paper gives none. The task is fitted to what "
        f"{setup.config['first_actions']} found in the first {setup.config['first_steps']:,} steps."
    )


def how(setup: Setup) -> str:
    """Return in words which setup a claim is about."""
    config = setup.config
    words = ["pre-training only"]
    if config["finetuning_steps"]:
        published = config["hand_over"] == "as_published"
        words = ["handed over as published" if published else "all parts handed over"]
        if config["task"] != RunConfig.task:
            words.append(config["task"].replace("_", " "))
        if config["first_actions"] != FIRST_ACTIONS[FORMAT]:
            words.append(f"begun by {config['first_actions']}")
    if config["width"] != RunConfig.width:
        words.append(f"width {config['width']}")
    if config["bounded"]:
        words.append("values bounded")
    return f" ({', '.join(words)})"
