"""Rows in files: parts are made once, in other processes, and chosen by name."""

from functools import partial

from first_occupancy_paper.worlds.logged_rows import make, read


def numbered(size):
    return [{"number": number} for number in range(size)]


def test_files_that_are_there_are_not_made_again(tmp_path, capsys):
    parts = {f"part-{size}": partial(numbered, size) for size in (1, 2)}
    make(parts, tmp_path / "rows", only="2")
    assert read(tmp_path / "rows") == numbered(2)
    (tmp_path / "rows" / "part-2.jsonl").write_text('{"number": 7}\n')
    make(parts, tmp_path / "rows")
    assert read(tmp_path / "rows") == [{"number": 0}, {"number": 7}]
    assert read(tmp_path / "rows", "part-1") == numbered(1)
    assert capsys.readouterr().out == "part-2\npart-1\n"
