import json

import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.runs import row_files
from jaco_runs import TINY

ROWS = [{"agent": "apf", "return": 1 / 3}, {"agent": "aps", "return": 12.5}]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.jsonl"
    row_files.create(path, TINY)
    row_files.append(path, ROWS)
    return path


def test_rows_come_back_without_their_checksums(path):
    assert row_files.read(path)[1] == ROWS
    assert row_files.config_of(path) == TINY


def test_a_changed_byte_is_found_in_any_line(path):
    sound = path.read_bytes()
    places = [place for place, byte in enumerate(sound[:-1]) if byte != ord("\n")]
    for place in places[:: 1 + len(places) // 300]:
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
        with pytest.raises(InputError, match="is damaged"):
            row_files.read(path)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"return": NaN}'])
def test_impossible_lines_are_refused(path, line):
    path.write_bytes(path.read_bytes() + line.encode() + b"\n")
    with pytest.raises(InputError, match="is damaged or holds no rows of jaco_reaching"):
        row_files.read(path)


def test_lines_of_earlier_versions_are_read(path):
    origin, rows = row_files.read(path)
    del origin["checksums"]
    path.write_text("".join(json.dumps(line) + "\n" for line in [origin, *rows]))
    assert row_files.read(path) == (origin, rows)
