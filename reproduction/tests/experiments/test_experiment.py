import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy_paper.experiments import Experiment, Finding, Verdict


@pytest.mark.parametrize("holds", [True, np.bool_(True)])
def test_a_claim_that_holds_is_reproduced_or_holds(holds):
    assert Verdict.reproduced_if(holds) is Verdict.REPRODUCED
    assert Verdict.holds_if(holds) is Verdict.HOLDS


@pytest.mark.parametrize("holds", [False, np.bool_(False)])
def test_a_claim_that_does_not_differs_or_does_not_hold(holds):
    assert Verdict.reproduced_if(holds) is Verdict.DIFFERS
    assert Verdict.holds_if(holds) is Verdict.FAILS


def test_verdicts_read_as_text():
    assert f"{Verdict.UNDETERMINED}" == "not determined by the paper"
    assert len(set(Verdict)) == 8


def test_findings_read_as_lines_of_the_ledger():
    found = Finding("FRP is optimal", "yes", "in all of 40", Verdict.REPRODUCED, "counted")
    assert repr(found).splitlines() == [
        "Finding: FRP is optimal",
        "  paper: yes",
        "  ours: in all of 40",
        "  verdict: reproduced; counted",
    ]
    assert found._repr_mimebundle_()[0] == {"text/plain": repr(found)}


def test_an_open_question_is_not_settled():
    assert Verdict.reproduced_if(None) is Verdict.UNSETTLED
    assert Verdict.holds_if(None) is Verdict.UNSETTLED


def test_a_judgement_names_its_condition():
    finding = Finding("c", "p", "o", Verdict.REPRODUCED, "w", given="with our choice of width")
    assert finding.judgement == "reproduced, with our choice of width"


@dataclass(frozen=True)
class Config:
    size: int = 3


@dataclass(frozen=True)
class Incomplete:
    size: int


def run(config, seed):
    yield {"size": config.size}


@pytest.mark.parametrize("config", [Config, Config()])
def test_a_name_a_config_and_run_are_enough(config):
    experiment = Experiment(name="small", config=config, run=run)
    assert experiment.settings(False) == experiment.settings(True) == [(Config(), 1)]
    assert (experiment.plot([]), experiment.find([])) == ({}, [])
    assert pickle.loads(pickle.dumps(experiment)).settings(False) == [(Config(), 1)]


@pytest.mark.parametrize("config", [None, 3, Incomplete])
def test_a_config_that_is_no_dataclass_with_defaults_is_refused(config):
    with pytest.raises(InputError) as caught:
        Experiment(name="small", config=config, run=run)
    assert str(caught.value) == (
        "Experiment: config of small must be a dataclass whose fields have defaults, or one made "
        f"of it, got {config!r}"
    )


def test_remarks_and_second_looks_are_not_counted():
    def counted(verdict, *, again=False):
        return Finding("c", "p", "o", verdict, "w", again=again).counted

    assert counted(Verdict.DIFFERS)
    assert not counted(Verdict.DIFFERS, again=True)
    assert not counted(Verdict.REMARK)
