import json
import math

import pytest

from first_occupancy_paper.sweeps.jobs import Job
from first_occupancy_paper.sweeps.runner import run_jobs, unfinished
from first_occupancy_paper.sweeps.store import DamagedError, Store
from first_occupancy_paper.sweeps.workers import Here
from toy_experiment import TOY, Config, run


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def job():
    return Job(TOY, Config(), 7)


def test_rows_come_back_to_the_last_bit(store, job):
    store.write(job, run(job.config, job.seed))
    assert store.read(job) == list(run(job.config, job.seed))
    assert store.is_finished(job)


def test_same_job_same_bytes_and_other_jobs_other_files(store, job, tmp_path):
    store.write(job, run(job.config, job.seed))
    again = Store(tmp_path / "again")
    again.write(job, run(job.config, job.seed))
    assert store.path(job).read_bytes() == again.path(job).read_bytes()
    others = [Job(TOY, Config(4), 7), Job(TOY, Config(), 8)]
    assert len({store.path(each) for each in [job, *others]}) == 3


def test_provenance_is_inside(store, job):
    store.write(job, run(job.config, job.seed))
    origin = json.loads(store.path(job).read_text().splitlines()[0])
    assert origin["config"] == {"size": 3}
    assert origin["seed"] == 7
    assert set(origin["versions"]) == {"jax", "jaxlib", "numpy"}
    assert len(origin["code"]) == 12


def unchecked(text):
    """The same file as earlier versions wrote it, without a checksum."""
    lines = text.splitlines()[:-1]
    return "\n".join([*lines, json.dumps({"rows": len(lines) - 1}), ""])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: "", "damaged or not a result file"),
        (lambda text: text[: len(text) // 2], "damaged or not a result file"),
        (lambda text: "\n".join(text.splitlines()[:-1]), "truncated"),
        (lambda text: text + "\n", "damaged"),
        (lambda text: text.replace("\n", "\n3\n", 1), "truncated"),
        (lambda text: text.replace("\n", "\n{}\n", 1), "truncated"),
        (lambda text: text.replace("\n", "\n" + "[" * 100_000 + "\n", 1), "not a result file"),
        (lambda text: "\x00\x01" + text, "damaged or not a result file"),
        (lambda text: '{"some": "thing"}\n{"rows": 0}', "damaged or not a result file"),
        (lambda text: unchecked(text.replace('"seed": 7', '"seed": 8')), "belongs to another"),
        (lambda text: unchecked(text.replace('"format": 1', '"format": 0')), "belongs to another"),
        (lambda text: unchecked(text.replace("\n", "\n{}\n", 1)), "not a result file"),
        (lambda text: unchecked(text.replace("\n", '\n{"a": NaN}\n', 1)), "not a result file"),
        (lambda text: unchecked(text.replace("\n", '\n{"a": 1e999}\n', 1)), "not a result file"),
    ],
)
def test_damaged_and_foreign_files_are_named_set_aside_and_run_again(store, job, damage, message):
    store.write(job, run(job.config, job.seed))
    path = store.path(job)
    sound = path.read_bytes()
    path.write_text(damage(path.read_text()))
    with pytest.raises(DamagedError, match=message):
        store.read(job)
    reports: list[str] = []
    assert unfinished([job], store, reports.append) == [job]
    assert path.name in reports[0]
    assert "set aside" in reports[0]
    assert path.with_suffix(".damaged-1").exists()
    assert list(run_jobs([job], store, Here())) == [job]
    assert path.read_bytes() == sound


def test_any_changed_byte_is_found(store, job):
    store.write(job, run(job.config, job.seed))
    path = store.path(job)
    sound = path.read_bytes()
    for place in range(len(sound)):
        for flip in (1, 2, 32):
            path.write_bytes(sound[:place] + bytes([sound[place] ^ flip]) + sound[place + 1 :])
            with pytest.raises(DamagedError):
                store.read(job)
    path.write_bytes(sound)
    assert store.read(job)


def test_files_of_earlier_versions_are_read_and_marked(store, job):
    store.write(job, run(job.config, job.seed))
    path = store.path(job)
    assert store.has_checksum(job)
    path.write_text(unchecked(path.read_text()))
    assert not store.has_checksum(job)
    assert store.read(job) == list(run(job.config, job.seed))
    reports: list[str] = []
    assert unfinished([job], store, reports.append) == []
    assert reports == ["1 stored files have no checksum; remove them to run their jobs again"]


def test_what_a_killed_run_left_is_removed_by_the_next(store, job):
    left = store.path(job).with_name(f".{store.path(job).name}.{'0' * 32}")
    left.parent.mkdir()
    left.write_bytes(b"half")
    assert list(run_jobs([job], store, Here())) == [job]
    assert [path.name for path in left.parent.iterdir()] == [store.path(job).name]


def test_a_folder_that_cannot_be_written_to_is_noticed_before_the_first_job(tmp_path, job):
    (tmp_path / "results").write_bytes(b"a file")
    with pytest.raises(OSError, match="Not a directory") as caught:
        next(run_jobs([job], Store(tmp_path / "results"), Here()))
    assert caught.value.filename == str(tmp_path / "results" / "toy")


def test_bytes_that_are_no_text_are_damage(store, job):
    store.path(job).parent.mkdir()
    store.path(job).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DamagedError, match="damaged"):
        store.read(job)


def test_not_a_number_is_refused(store, job):
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.write(job, [{"value": math.nan}])
    assert not store.path(job).exists()
