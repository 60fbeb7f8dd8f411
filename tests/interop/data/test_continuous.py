"""Logs of continuous worlds from files and datasets."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from first_occupancy.core.episodes import Episodes
from first_occupancy.interop.data.continuous import episodes_from_minari, read_ogbench


@pytest.fixture
def log():
    seen = [np.arange(6.0).reshape(3, 2), np.arange(8.0).reshape(4, 2)]
    return Episodes(seen, [np.ones((2, 1)), np.zeros((3, 1))])


def test_a_file_is_read_as_its_episodes(tmp_path, log):
    parts = {"observations": log.observations, "actions": log.actions, "terminals": log.last}
    np.savez_compressed(tmp_path / "log.npz", **parts)
    back = read_ogbench(tmp_path / "log.npz")
    assert (back.observations == log.observations).all()
    assert (back.actions == log.actions).all()
    assert (back.last == log.last).all()


@dataclass
class Recorded:
    observations: Any
    actions: Any


@dataclass
class Data:
    parts: list
    observation_space: Any = None

    def iterate_episodes(self):
        yield from self.parts


def test_minari_datasets_are_read_whole_or_by_a_key(log):
    seen, done = np.arange(6.0).reshape(3, 2), np.ones((2, 1))
    found = episodes_from_minari(Data([Recorded(seen, done)]))
    assert (found.observations == seen).all()
    found = episodes_from_minari(
        Data([Recorded({"observation": seen, "goal": seen + 1}, done)]), key="goal"
    )
    assert (found.observations == seen + 1).all()


def test_what_cannot_be_read_is_refused(error_of, tmp_path, log):
    (tmp_path / "text.npz").write_text("no archive")
    message = error_of(lambda: read_ogbench(tmp_path / "text.npz"))
    assert message.startswith("read_ogbench: path must be a NumPy archive, got ")
    np.savez(tmp_path / "part.npz", observations=log.observations, terminals=log.last)
    message = "read_ogbench: the file must have actions, got none"
    assert error_of(lambda: read_ogbench(tmp_path / "part.npz")) == message
    parts = {"observations": log.observations, "actions": log.actions}
    np.savez(tmp_path / "open.npz", **parts, terminals=np.zeros(7))
    message = "read_ogbench: terminals must mark the last row, but they do not"
    assert error_of(lambda: read_ogbench(tmp_path / "open.npz")) == message
    message = "episodes_from_minari: dataset must have at least one episode, got none"
    assert error_of(lambda: episodes_from_minari(Data([]))) == message
    message = error_of(lambda: episodes_from_minari(3))
    assert message.startswith("episodes_from_minari: dataset must be a Minari dataset")
    keyed = Data([Recorded({"a": 1}, [])])
    message = "episodes_from_minari: observations are dictionaries; key must be one of a, got None"
    assert error_of(lambda: episodes_from_minari(keyed)) == message
