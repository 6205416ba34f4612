"""Running rules against the vectors of their specification (tests/data/containers/vectors.json)."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from confinement.containers.engine import Sample
from confinement.containers.runner import memory_time
from confinement.limits import MIB
from evaluation.running.aliases import alias
from evaluation.running.identity import identity
from evaluation.running.outcomes import Files, Observation, decide, judged
from evaluation.running.pareto import pareto
from evaluation.running.scorer_rows import Declared, DeclaredMetric, ScorerError, read_rows

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "containers" / "vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["identity"], ids=["without weights", "with weights"])
def test_identity(vector: dict) -> None:
    assert identity(vector["image"], vector["model"]) == vector["identity"]


@pytest.mark.parametrize("vector", VECTORS["aliases"], ids=lambda vector: vector["case"])
def test_alias(vector: dict) -> None:
    assert alias(bytes.fromhex(vector["key_hex"]), vector["case"]) == vector["alias"]


@pytest.mark.parametrize("vector", VECTORS["outcomes"], ids=lambda vector: vector["what"])
def test_outcome(vector: dict) -> None:
    decision = decide(_observation(vector), Files(vector["files"]))

    assert (decision.outcome or "repeat") == vector["outcome"]
    assert (decision.reason == "") == (vector["outcome"] == "ok")


def _observation(vector: dict) -> Observation:
    return Observation(
        exit_code=vector.get("exit"),
        timed=vector.get("timed", False),
        out_of_memory=vector.get("oom", False),
        output_bound="The algorithm wrote too much." if vector.get("output_bound") else "",
        fault="The engine failed." if vector.get("fault") else "",
    )


def test_cases_that_shared_an_abnormal_end_are_run_again_alone() -> None:
    own = VECTORS["batch_example"]
    starts: list[list[str]] = []

    def run(cases: Sequence[str]) -> tuple[Observation, dict[str, tuple[Files, str]]]:
        starts.append(list(cases))
        if len(cases) > 1:
            valid = own["first_start"]["valid"]
            return _observation(own["first_start"]), {
                case: (Files.VALID if case in valid else Files.NONE, "") for case in cases
            }
        alone = own["alone"][cases[0]]
        return _observation(alone), {cases[0]: (Files(alone["files"]), "")}

    decided = judged(own["cases"], run, batch_cases=own["batch_cases"])

    assert {case: judgement.decision.outcome for case, judgement in decided.items()} == own["outcomes"]
    assert starts == [["A", "B", "C", "D", "E"], ["C"], ["D"], ["E"]]
    values = [own["dsc"].get(case, own["policy_missing"]) for case in own["cases"]]
    assert sum(values) / len(values) == pytest.approx(own["mean"])


def _declared() -> Declared:
    own = VECTORS["scorer_rows"]["declared"]
    return Declared([DeclaredMetric.read(metric) for metric in own["metrics"]], own["regions"], own["cases"])


@pytest.mark.parametrize("vector", VECTORS["scorer_rows"]["files"], ids=lambda vector: vector["what"])
def test_rows_of_a_scorer(vector: dict) -> None:
    content = "\n".join(vector["lines"]).encode()

    if vector["accepted"]:
        assert [row.case for row in read_rows(content, _declared())] == ["c1", "c2"]
        return
    with pytest.raises(ScorerError) as refusal:
        read_rows(content, _declared())
    assert vector["says"] in str(refusal.value)


def test_pareto() -> None:
    own = VECTORS["pareto"]

    result = pareto(own["algorithms"], list(own["direction"].values()))

    assert list(result.members) == own["set"]
    assert {name: list(by) for name, by in result.dominated_by.items()} == own["dominated_by"]


def test_memory_of_a_gpu_over_time() -> None:
    own = VECTORS["gpu_memory_time"]

    samples = [Sample(seconds, 0, mib * MIB) for seconds, mib in own["samples"]]

    assert memory_time(samples) == pytest.approx(own["value_mib_s"])
