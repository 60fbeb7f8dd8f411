import json
import math

import pytest

from first_occupancy_paper.sweeps.jobs import Job
from first_occupancy_paper.sweeps.runner import run_jobs, unfinished
from first_occupancy_paper.sweeps.store import DamagedError, Store, _end, lines_of
from first_occupancy_paper.sweeps.workers import Here
from toy_experiment import TOY, Config, run


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def job():
    return Job(TOY, Config(), 7)


def write(store, job):
    store.prepare([job])
    store.write([(job, lines_of(run(job.config, job.seed)))])


def test_rows_come_back_to_the_last_bit(store, job):
    write(store, job)
    assert store.read(job) == list(run(job.config, job.seed))
    assert store.is_finished(job)


def test_same_job_same_bytes_and_other_jobs_other_files(store, job, tmp_path):
    write(store, job)
    again = Store(tmp_path / "again")
    write(again, job)
    assert store.path(job).read_bytes() == again.path(job).read_bytes()
    others = [Job(TOY, Config(4), 7), Job(TOY, Config(), 8)]
    assert len({store.path(each) for each in [job, *others]}) == 3


def test_provenance_is_inside(store, job):
    write(store, job)
    origin = json.loads(store.path(job).read_text().splitlines()[0])
    assert origin["config"] == {"size": 3}
    assert origin["seed"] == 7
    assert set(origin["versions"]) == {"jax", "jaxlib", "numpy"}
    assert len(origin["code"]) == 12


def resealed(text):
    """Return a changed file with the checksum of what it holds now."""
    body = "".join(f"{line}\n" for line in text.splitlines()[:-1]).encode()
    return (body + _end(body)).decode()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: "", "truncated"),
        (lambda text: text[: len(text) // 2], "truncated"),
        (lambda text: "\n".join(text.splitlines()[:-1]), "truncated"),
        (lambda text: text + "\n", "damaged"),
        (lambda text: text.replace("\n", "\n3\n", 1), "truncated"),
        (lambda text: "\x00\x01" + text, "damaged"),
        (lambda text: '{"some": "thing"}\n{"rows": 0}', "damaged"),
        (lambda text: resealed(text.replace('"seed": 7', '"seed": 8')), "belongs to another"),
        (lambda text: resealed(text.replace('"format": 1', '"format": 0')), "belongs to another"),
    ],
)
def test_damaged_and_foreign_files_are_named_set_aside_and_run_again(store, job, damage, message):
    write(store, job)
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
    write(store, job)
    path = store.path(job)
    sound = path.read_bytes()
    for place in range(len(sound)):
        for flip in (1, 2, 32):
            path.write_bytes(sound[:place] + bytes([sound[place] ^ flip]) + sound[place + 1 :])
            with pytest.raises(DamagedError):
                store.read(job)
    path.write_bytes(sound)
    assert store.read(job)


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
        store.write([(job, lines_of([{"value": math.nan}]))])
    assert not store.path(job).exists()
