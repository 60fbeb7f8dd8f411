"""Pre-train once, fine-tune often: the same as in one go, and what is refused."""

import json
import shutil
from dataclasses import replace

import jax
import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.runs import row_files, run_folders
from first_occupancy_paper.arm.runs.pretrained_runs import find_pretrained
from first_occupancy_paper.arm.runs.row_files import gathered
from first_occupancy_paper.arm.runs.run_config import as_data
from first_occupancy_paper.arm.runs.run_folders import PRETRAINED, ROWS
from first_occupancy_paper.arm.runs.stage import begin
from first_occupancy_paper.arm.runs.train import train
from first_occupancy_paper.experiments.findings import findings
from first_occupancy_paper.experiments.jaco_reaching.comparing import words
from first_occupancy_paper.experiments.jaco_reaching.find import find
from first_occupancy_paper.experiments.jaco_reaching.plot import plot
from first_occupancy_paper.experiments.jaco_reaching.run_curves import setups
from first_occupancy_paper.rows import provenance
from jaco_runs import TINY, KilledError, drifting, options, rows_of, with_changes
from lines import by_id

ONLY = replace(TINY, finetuning_steps=0, task="reach_bottom_left", episodes=1)


@pytest.mark.whole
def test_pretrained_once_and_finetuned_often(tmp_path):
    """Everything in one test, because it takes long to compile."""
    whole, only = tmp_path / "whole", tmp_path / "only"
    assert train(TINY, whole, options=options())
    check_that_nothing_but_pretraining_is_done(whole, only)
    check_that_rows_are_those_of_a_run_in_one_go(whole, only, tmp_path / "later")
    check_that_the_way_is_chosen_later(only, tmp_path / "repaired", tmp_path / "in_one_go")
    # The order of seeds is another one, for want of fewer of them: those would be compiled anew.
    other = replace(TINY, seeds=(8, 3), finetuning_steps=20)
    assert train(other, tmp_path / "other", pretrained=whole, options=options())
    assert by_place(rows_of(tmp_path / "other")).items() <= by_place(rows_of(whole)).items()


def by_place(rows):
    names = ("phase", "step", "agent", "seed")
    return {tuple(row[name] for name in names): tuple(sorted(row.items())) for row in rows}


def check_that_nothing_but_pretraining_is_done(whole, only):
    with pytest.raises(KilledError):
        train(ONLY, only, options=options(kill_at=17))
    assert train(ONLY, only, resume=True, options=options())
    assert {path.name for path in only.iterdir()} == {ROWS, PRETRAINED, "timing.jsonl"}
    assert rows_of(only) == [row for row in rows_of(whole) if row["phase"] == "pretraining"]
    assert (only / PRETRAINED).read_bytes() == (whole / PRETRAINED).read_bytes()
    before = {path: path.read_bytes() for path in only.iterdir()}
    assert train(ONLY, only, resume=True, options=options(kill_at=0))
    with pytest.raises(InputError) as caught:
        train(replace(ONLY, finetuning_steps=80), only, resume=True, options=options(kill_at=0))
    assert str(caught.value) == (
        f"{only / ROWS}: belongs to another run: its finetuning_steps is 0, not 80; to fine-tune "
        "what it learned, name it by --pretrained and choose another --out"
    )
    assert {path: path.read_bytes() for path in only.iterdir()} == before


def check_that_rows_are_those_of_a_run_in_one_go(whole, only, folder):
    """Killed before there is a checkpoint, and after; resumed with and without the source."""
    with pytest.raises(KilledError):
        train(TINY, folder, pretrained=only, options=options(kill_at=0))
    assert not (folder / "finetuning.npz").exists()
    with pytest.raises(KilledError):
        train(TINY, folder, resume=True, options=options(kill_at=29))
    assert (folder / "finetuning.npz").exists()
    assert train(TINY, folder, pretrained=only, resume=True, options=options())
    assert (folder / ROWS).read_bytes() == (whole / ROWS).read_bytes()
    first, second = (np.load(each / "finetuning.npz") for each in (whole, folder))
    assert first.files == second.files
    for name in first.files:
        np.testing.assert_array_equal(first[name], second[name])


def check_that_the_way_is_chosen_later(only, later, in_one_go):
    assert ONLY.hand_over == "as_published"
    repaired = replace(TINY, hand_over="repaired", finetuning_steps=20)
    assert train(repaired, later, pretrained=only, options=options())
    assert train(repaired, in_one_go, options=options())
    assert (later / ROWS).read_bytes() == (in_one_go / ROWS).read_bytes()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The folder of a run that was pre-trained, if only in name."""
    folder = tmp_path_factory.mktemp("source")
    rows = [
        {"agent": "apf", "seed": seed, "phase": "pretraining", "step": 20, "largest_target": 2.0}
        for seed in TINY.seeds
    ]
    row_files.create(folder / ROWS, ONLY, rows)
    with jax.enable_x64(False):
        stage = begin(ONLY, "pretraining", {}, make_world=drifting)
    versions = row_files.identity(ONLY)["versions"]
    run_folders.save_networks(folder, ONLY, stage.networks(), len(rows), versions=versions)
    stage.close()
    return folder


@pytest.fixture
def copy(source, tmp_path):
    return shutil.copytree(source, tmp_path / "copy")


def error_of(copy, config=TINY):
    """Return why one cannot fine-tune from here; nothing is written then."""
    new = copy.parent / "new"
    with pytest.raises(InputError) as caught:
        train(config, new, pretrained=copy, options=options())
    assert not new.exists()
    return str(caught.value).replace(str(copy), "COPY")


def test_a_folder_that_is_not_there(tmp_path):
    assert error_of(tmp_path / "nowhere") == (
        "COPY: must be the folder of a pre-trained run, but is none"
    )


def test_a_folder_that_holds_no_run(copy):
    (copy / ROWS).unlink()
    assert error_of(copy) == "COPY: must be the folder of a pre-trained run, but has no rows.jsonl"


def test_pretraining_that_is_not_done(copy):
    (copy / PRETRAINED).rename(copy / "pretraining.npz")
    assert error_of(copy) == (
        "COPY: has no pretrained.npz, which is written when pre-training is done"
    )


def test_what_was_learned_is_checked_as_checkpoints_are(copy):
    path, content = copy / PRETRAINED, (copy / PRETRAINED).read_bytes()
    path.write_bytes(content[:-1000])
    assert (
        error_of(copy) == "COPY/pretrained.npz: is damaged, truncated or not an archive of arrays"
    )
    path.write_bytes(content)
    arrays = dict(np.load(path))
    facts = json.loads(str(arrays["facts"]))
    changed = facts | {"versions": facts["versions"] | {"jax": "0.1"}}
    np.savez(path, **arrays | {"facts": np.array(json.dumps(changed))})
    assert error_of(copy).startswith(
        "COPY/pretrained.npz: belongs to another run: its versions is {"
    )
    np.savez(path, **arrays | {"facts": np.array(json.dumps(facts | {"format": 0}))})
    assert error_of(copy) == "COPY/pretrained.npz: belongs to another run: its format is 0, not 1"
    np.savez(path, **arrays | {"['num_rows']": np.array(16)})
    assert error_of(copy) == (
        "COPY/rows.jsonl: holds 2 rows of pre-training, but pretrained.npz beside it came after 16"
    )


def test_rows_of_another_format_or_version(copy):
    content = (copy / ROWS).read_bytes()
    (copy / ROWS).write_bytes(with_changes(content, '"format": 2', '"format": 1'))
    assert error_of(copy) == "COPY/rows.jsonl: has format 1, which is only read, not continued"
    (copy / ROWS).write_bytes(with_changes(content, '"width"', '"breadth"'))
    assert error_of(copy) == (
        "COPY/rows.jsonl: RunConfig: settings of another version, they differ in breadth, width"
    )


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"width": 16}, "was pre-trained with width 8, not 16"),
        ({"pretraining_steps": 80}, "was pre-trained with pretraining_steps 60, not 80"),
        ({"bounded": True}, "was pre-trained with bounded false, not true"),
        ({"seeds": (3, 9)}, "was pre-trained with seeds [3, 8], not [3, 9]"),
        ({"agents": ("aps",)}, 'was pre-trained with agents ["apf"], not ["aps"]'),
        ({"agents": ("ddpg",)}, "is of no use to ddpg, which has no pre-training"),
        ({"finetuning_steps": 0}, "finetuning_steps must be at least 1 from here, got 0"),
    ],
)
def test_what_contradicts_pretraining(source, tmp_path, changes, complaint):
    copy = shutil.copytree(source, tmp_path / "copy")
    assert error_of(copy, replace(TINY, **changes)) == f"COPY: {complaint}"


def test_ddpg_has_no_pretraining(tmp_path):
    folder = tmp_path / "ddpg"
    folder.mkdir()
    row_files.create(folder / ROWS, replace(TINY, agents=("ddpg",)))
    assert error_of(folder) == "COPY: is a run of ddpg, which has no pre-training"


def test_a_run_goes_on_only_from_where_it_began(copy):
    """And one that was killed while it was put into its folder is put there again."""
    new, source = copy.parent / "new", find_pretrained(copy)
    source.put_into(new, TINY)
    (new / ROWS).unlink()
    with pytest.raises(InputError, match=r"pretrained\.npz: is a checkpoint without its rows"):
        train(TINY, new, resume=True, options=options())
    with pytest.raises(KilledError):
        train(TINY, new, pretrained=copy, resume=True, options=options(kill_at=0))
    (copy / ROWS).write_bytes(with_changes((copy / ROWS).read_bytes(), "2.0", "3.0"))
    with pytest.raises(InputError) as caught:
        train(TINY, new, pretrained=copy, resume=True, options=options())
    assert str(caught.value) == (
        f"{new / ROWS}: belongs to another run: it was not pre-trained in {copy}"
    )


def test_rows_say_by_what_they_were_pretrained(copy, monkeypatch):
    """Once it differs, and also two runs later."""
    old, _ = row_files.read(copy / ROWS)
    new, newer = copy.parent / "new", copy.parent / "newer"
    find_pretrained(copy).put_into(new, TINY)
    origin, rows = row_files.read(new / ROWS)
    assert "pretraining" not in origin
    assert origin["config"]["task"] == TINY.task
    assert rows == rows_of(copy)
    monkeypatch.setattr(provenance, "commit", lambda: "later")
    monkeypatch.setattr(provenance, "hardware", lambda: {"device": "abacus"})
    one = replace(TINY, agents=("ddpg", "apf"), seeds=(8,), evaluate_every=10)
    find_pretrained(new).put_into(newer, one)
    origin, rows = row_files.read(newer / ROWS)
    assert origin["commit"] == "later"
    assert origin["pretraining"] == {name: old[name] for name in row_files.MAKING}
    assert [row["seed"] for row in rows] == [8]
    (setup,) = setups(gathered([newer / ROWS]))
    assert setup.hardware == tuple(sorted((old["hardware"]["device"], "abacus")))
    networks, _ = run_folders.load_networks(newer)
    before, _ = run_folders.load_networks(copy)
    jax.tree.map(
        lambda one, all_: np.testing.assert_array_equal(one, all_[1:]),
        networks["apf"],
        before["apf"],
    )


def made_up(file, config, *, seeds=(3, 8), target=2.0):
    """Return rows as they are read from a file: of pre-training, and the first of fine-tuning."""
    yield {"part": "origin", "file": file, "format": 2, "config": as_data(config)} | {
        "hardware": {"device": "abacus"},
        "commit": "none",
    }
    for seed in seeds:
        place = {"part": "run", "file": file, "agent": "apf", "seed": seed}
        values = {"target": target, "largest_target": target, "exploration": 0.5}
        yield place | {"phase": "pretraining", "step": 20} | values
        if config.finetuning_steps:
            yield place | {"phase": "finetuning", "step": 0, "evaluation_return": 1.0}


def test_pretraining_counts_once_however_often_it_is_finetuned():
    there = replace(TINY, task="reach_bottom_left")
    shared = [*made_up("a", TINY), *made_up("b", there, seeds=(8,)), *made_up("c", ONLY)]
    other = [*made_up("d", replace(TINY, width=16), target=3.0)]
    for rows, finetuned, pretrained in ((shared, 2, 1), ([*shared, *other], 3, 2)):
        ids = [line.id for line in find(rows)]
        assert sum(id.startswith("faster") for id in ids) == finetuned
        assert sum(id.startswith("plausible:") for id in ids) == pretrained
        assert len(plot(rows)["targets"].axes) == pretrained
    assert {tuple(words(each)) for each in setups(shared) if each.config["finetuning_steps"]} == {
        ("handed over as published", "width 8"),
        ("handed over as published", "reach bottom left", "width 8"),
    }


def test_pretraining_alone_leaves_the_claims_open():
    found = by_id(findings(find(list(made_up("c", ONLY))), find))
    first = found["faster_not_run:pre-training only, width 8"]
    values = found["plausible:pre-training only, width 8"]
    assert first.ours.startswith(
        "not run yet: too few runs so far (Run: apf 2 seeds, pre-training only; "
    )
    assert "60 + 0 steps planned" in first.ours
    claim = "Pre-training's values are no more than its rewards are worth"
    assert values.claim == f"{claim} (pre-training only, width 8)"
    assert "apf 2 seeds, pre-training only; 60 + 0 steps planned" in values.why
    (ax,) = plot(list(made_up("c", ONLY)))["targets"].axes
    assert ax.get_title() == "pre-training, width 8"
