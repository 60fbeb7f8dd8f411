"""Parquet by the real pyarrow."""

import pytest

from first_occupancy_paper.sweeps.sweep_tables import summarise, write_rows_as_parquet


def test_tables_and_rows_are_read_back_from_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"config": {"size": size}, "seed": seed, "row": {"score": size + seed}}
        for size in (1, 2)
        for seed in (0, 1)
    ]
    summarise(rows).write_parquet(tmp_path / "table.parquet")
    table = parquet.read_table(tmp_path / "table.parquet").to_pydict()
    assert (table["size"], table["score"]) == ([1, 2], [1.5, 2.5])
    write_rows_as_parquet(rows, tmp_path / "rows.parquet")
    whole = parquet.read_table(tmp_path / "rows.parquet").to_pydict()
    assert whole == {"config.size": [1, 1, 2, 2], "seed": [0, 1, 0, 1], "score": [1, 2, 2, 3]}
