"""Every data-set-level value is recomputable from its evidence, as if the cases had been copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from evaluation.aggregation import ResultsError
from evaluation.readers import ReadError
from evaluation.readers.limits import Limits
from evaluation.scoring import read_evidence, recompute
from evaluation.scoring.classification_evidence import regions_of, value_of
from evaluation.scoring.evidence import Block, make_evidence, recompute_values, register_recomputer, write_evidence
from tests.sizes import size

from .evidence_of import assessment_of, evidence_of

if TYPE_CHECKING:
    from pathlib import Path

ALL = assessment_of()


@st.composite
def answers(draw: st.DrawFn, most: int = 14) -> dict[str, Any]:
    """A few cases of two or three classes, with scores of few decimals so that ties occur, some unanswered."""
    count = draw(st.integers(3, most))
    size = draw(st.integers(2, 3))
    reference = draw(st.lists(st.integers(0, size - 1), min_size=count, max_size=count))
    reference[:size] = range(size)
    parts = draw(st.lists(st.tuples(*[st.integers(0, 4)] * size), min_size=count, max_size=count))
    raw = np.array(parts, dtype=float) + np.array([1.0] + [0.0] * (size - 1)) * (np.sum(parts, axis=1) == 0)[:, None]
    answered = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    return {
        "reference": reference,
        "scores": raw / raw.sum(axis=1, keepdims=True),
        "answered": answered if draw(st.booleans()) else [True] * count,
        "classes": tuple(str(code) for code in range(size)),
    }


def each_value(evidence: Any, assessment: Any = ALL) -> list[tuple[Any, str]]:
    return [(use, region) for use in assessment.metrics for region in regions_of(use, evidence.header["shared"])]


def assert_alike(values: Any, index: int, result: Any, what: Any) -> None:
    found = values.result(index)
    assert (found.outcome, found.flag) == (result.outcome, result.flag), what
    if result.value is not None:
        assert found.value == pytest.approx(result.value, abs=1e-9), what


def taken(data: dict[str, Any], rows: np.ndarray) -> dict[str, Any]:
    picked = {name: np.asarray(data[name])[rows] for name in ("reference", "scores", "answered")}
    return picked | {"classes": data["classes"]}


@given(answers())
@settings(max_examples=size(8, 20), deadline=None)
def test_every_case_once_is_the_value_and_every_case_twice_is_the_value_of_the_copies(data: dict[str, Any]) -> None:
    evidence = evidence_of(ALL, **data)
    count = len(data["reference"])
    twice = evidence_of(ALL, **taken(data, np.repeat(np.arange(count), 2)))
    for use, region in each_value(evidence):
        own = evidence.select(use.name, "a", region)
        values = recompute_values(use, own, np.stack([np.ones(count), np.full(count, 2)]))
        assert_alike(values, 0, value_of(use, own), (use.name, region))
        assert_alike(values, 1, value_of(use, twice.select(use.name, "a", region)), (use.name, region))


@given(answers(), st.data())
@settings(max_examples=size(8, 20), deadline=None)
def test_multiplicities_are_copies(data: dict[str, Any], more: st.DataObject) -> None:
    data["answered"] = [True] * len(data["reference"])
    evidence = evidence_of(ALL, **data)
    count = len(data["reference"])
    times = np.array(more.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count).filter(any)))
    copies = evidence_of(ALL, **taken(data, np.repeat(np.arange(count), times)))
    for use, region in each_value(evidence):
        values = recompute_values(use, evidence.select(use.name, "a", region), times)
        assert_alike(values, 0, value_of(use, copies.select(use.name, "a", region)), (use.name, region, times))


@given(answers(), st.randoms(use_true_random=False))
@settings(max_examples=size(8, 20), deadline=None)
def test_the_order_of_the_cases_says_nothing(data: dict[str, Any], random: Any) -> None:
    order = list(range(len(data["reference"])))
    random.shuffle(order)
    first, second = evidence_of(ALL, **data), evidence_of(ALL, **taken(data, np.array(order)))
    for use, region in each_value(first):
        values = recompute_values(use, first.select(use.name, "a", region), np.ones(len(order)))
        assert_alike(values, 0, value_of(use, second.select(use.name, "a", region)), (use.name, region))


@given(answers())
@settings(max_examples=size(8, 20), deadline=None)
def test_values_lie_in_their_range(data: dict[str, Any]) -> None:
    from evaluation.catalogue import get

    evidence = evidence_of(ALL, **data)
    for use, region in each_value(evidence):
        value, _ = value_of(use, evidence.select(use.name, "a", region))
        low, high = (-2.0, 1.0) if use.name == "J sum" else get(use.id).range
        assert value is None or (low is None or value >= low - 1e-12), (use.name, value)
        assert value is None or (high is None or value <= high + 1e-12), (use.name, value)


@given(answers())
@settings(max_examples=size(8, 20), deadline=None)
def test_the_truth_is_perfect(data: dict[str, Any]) -> None:
    from evaluation.catalogue import get

    data["answered"] = [True] * len(data["reference"])
    data["scores"] = np.eye(len(data["classes"]))[data["reference"]]
    evidence = evidence_of(ALL, **data)
    for use, region in each_value(evidence):
        result = value_of(use, evidence.select(use.name, "a", region))
        best = get(use.id).best
        if use.id == "lr_plus":
            assert result.flag == "unbounded"
        elif use.id == "ece_kde":
            # A case that is alone in its class is left out of its own estimate, and nothing else speaks for it.
            alone = np.bincount(data["reference"])[data["reference"]] == 1
            share = np.mean(alone) * (1 if len(data["classes"]) == 2 else 2)
            assert result.value == pytest.approx(share, abs=1e-9)
        elif use.id == "net_benefit":
            assert result.value == pytest.approx(np.mean(np.array(data["reference"]) == data["classes"].index(region)))
        else:
            assert result.value == pytest.approx(0.0 if best is None else best, abs=1e-9), (use.name, region)


@given(answers())
@settings(max_examples=size(8, 20), deadline=None)
def test_an_increasing_transform_of_the_scores_changes_no_curve(data: dict[str, Any]) -> None:
    curves = [use for use in ALL.metrics if use.id in {"auroc", "average_precision", "sensitivity_at_specificity"}]
    data["answered"] = [True] * len(data["reference"])
    size = len(data["classes"])
    if size != 2:
        return
    bent = data["scores"][:, 1] ** 2 / 2
    second = data | {"scores": np.stack([1 - bent, bent], axis=1)}
    first, other = evidence_of(ALL, **data), evidence_of(ALL, **second)
    for use in curves:
        for region in regions_of(use, first.header["shared"]):
            assert value_of(use, first.select(use.name, "a", region)) == value_of(
                use, other.select(use.name, "a", region)
            )


def test_a_bandwidth_from_the_data_is_held_for_every_resample() -> None:
    """Copies of a case are at distance 0 from one another and would pull it towards 0."""
    generator = np.random.default_rng(3)
    data = {"reference": [0, 1, *generator.integers(0, 2, 28)], "scores": generator.dirichlet([1, 1], 30)}
    found = assessment_of([{"id": "kce", "policy": {"missing": 9}}, {"id": "ece_kde"}])
    times = generator.integers(0, 4, 30)
    own = evidence_of(found, **data)
    from evaluation.metrics.calibration_kernels import likeliest_bandwidth, median_distance

    widths = {"kce": median_distance(data["scores"]), "ece_kde": likeliest_bandwidth(data["scores"])}
    fixed = assessment_of(
        [
            {"id": "kce", "options": {"bandwidth": widths["kce"]}, "policy": {"missing": 9}},
            {"id": "ece_kde", "options": {"bandwidth": widths["ece_kde"]}},
        ]
    )
    for use, same in zip(found.metrics, fixed.metrics, strict=True):
        left = recompute(use, own.select(use.name, "a"), times)
        right = recompute(same, evidence_of(fixed, **data).select(use.name, "a"), times)
        assert left == pytest.approx(right)


def test_the_policy_turns_outcomes_into_numbers() -> None:
    metrics = [{"id": "ppv"}, {"id": "mcc"}, {"id": "auroc"}, {"id": "lr_plus"}]
    for use in metrics:
        use["policy"] = {"degenerate": 0.25} if use["id"] != "lr_plus" else {}
    assessment = assessment_of(metrics)
    evidence = evidence_of(assessment, [0, 0, 1, 1], scores=[[1, 0], [0.9, 0.1], [0.8, 0.2], [0.1, 0.9]])
    times = [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 2]]
    ppv, mcc, auroc, lr_plus = (
        recompute(use, evidence.select(use.name, "a", region), times)
        for use, region in zip(assessment.metrics, ["1", "", "1", "1"], strict=True)
    )
    assert ppv.tolist() == [1.0, 0.25, 1.0, 1.0]
    assert mcc[:2].tolist() == pytest.approx([1 / np.sqrt(3), 0.25])
    assert np.isnan(mcc[2:]).all()
    assert auroc[:2].tolist() == [1.0, 1.0]
    assert np.isnan(auroc[2:]).all()
    assert lr_plus[0] == np.inf
    assert lr_plus[1] == 0.0


def test_an_outcome_without_a_policy_is_named() -> None:
    assessment = assessment_of([{"id": "weighted_cohens_kappa", "policy": {"missing": -1}}])
    evidence = evidence_of(assessment, [0, 1], decision=[0, 1])
    use = assessment.metrics[0]
    assert recompute(use, evidence.select(use.name, "a"), [[1, 1]]).tolist() == [1.0]
    labels = assessment_of([{"id": "nll", "policy": {"missing": 40}}])
    without_scores = evidence_of(labels, [0, 1], decision=[0, 1])
    assert recompute(labels.metrics[0], without_scores.select("nll", "a"), [[1, 1]]).tolist() == [40.0]

    def odd(_use: Any, _evidence: Any, times: Any) -> Any:
        from evaluation.metrics.values import Values
        from evaluation.outcomes import Outcome

        return Values(np.zeros(len(times))).undefine(True, Outcome.NOT_APPLICABLE)

    register_recomputer("odd", ["nll"], odd)
    block = next(iter(without_scores.blocks.values()))
    evidence = make_evidence(labels, [block], parts={"nll": block.part}, shared={})
    strange = evidence.select("nll", "a")
    with pytest.raises(ResultsError, match="not_applicable in a resample"):
        recompute(labels.metrics[0], type(strange)("odd", "", block, {}), [[1, 1]])
    with pytest.raises(ValueError, match="cannot be recomputed"):
        recompute(labels.metrics[0], type(strange)("unheard of", "", block, {}), [[1, 1]])


def test_multiplicities_have_to_fit() -> None:
    assessment = assessment_of([{"id": "accuracy"}])
    own = evidence_of(assessment, [0, 1], decision=[0, 1]).select("accuracy", "a")
    for wrong in ([[1, 1, 1]], [[1, -1]], np.ones((2, 2, 2))):
        with pytest.raises(ValueError, match="expected \\(samples, cases\\)"):
            recompute(assessment.metrics[0], own, wrong)


def test_many_classes_are_resampled_piece_by_piece() -> None:
    assessment = assessment_of([{"id": "accuracy"}, {"id": "mcc"}])
    generator = np.random.default_rng(5)
    size, count = 1500, 1500
    decision = np.where(generator.random(count) < 0.5, np.arange(count), generator.integers(0, size, count))
    evidence = evidence_of(assessment, np.arange(count), decision=decision)
    times = generator.integers(0, 3, (3, count))
    own = evidence.select("accuracy", "a")
    right = np.arange(count) == decision
    assert recompute(assessment.metrics[0], own, times) == pytest.approx((times @ right) / times.sum(axis=1))


class TestFile:
    """Written evidence can be read again, and a file without evidence raises one clear error."""

    @pytest.fixture
    def written(self, tmp_path: Path) -> Path:
        evidence = evidence_of(ALL, [0, 1, 2, 0], scores=np.eye(3)[[0, 1, 0, 0]], answered=[True, True, True, False])
        self.evidence = evidence
        block = next(iter(evidence.blocks.values()))
        path = tmp_path / "evidence.parquet"
        header = evidence.header
        parts = {name: entry["part"] for name, entry in header["metrics"].items()}
        write_evidence(path, ALL, [block], parts=parts, shared=header["shared"])
        return path

    def test_round_trip(self, written: Path) -> None:
        found = read_evidence(written)
        assert found.header == self.evidence.header
        assert found.header["assessment"] == ALL.digest
        assert set(found.header["versions"]) == {"podium", "catalogue", "numpy"}
        assert (found.algorithms, found.metrics) == (("a",), tuple(use.name for use in ALL.metrics))
        assert found.cases == ("case 0000", "case 0001", "case 0002", "case 0003")
        for use, region in each_value(found):
            assert value_of(use, found.select(use.name, "a", region)) == value_of(
                use, self.evidence.select(use.name, "a", region)
            )

    def test_files_of_several_algorithms_are_one(self, written: Path, tmp_path: Path) -> None:
        first = next(iter(self.evidence.blocks.values()))
        second = Block(**(vars(first) | {"algorithm": "b"}))
        parts = {name: entry["part"] for name, entry in self.evidence.header["metrics"].items()}
        other = tmp_path / "other.parquet"
        write_evidence(other, ALL, [second], parts=parts, shared=self.evidence.header["shared"])
        both = read_evidence(written, other)
        assert both.algorithms == ("a", "b")
        with pytest.raises(ReadError, match="a stands there twice"):
            read_evidence(written, written)
        fewer = Block.of_lists(first.part, "c", "", first.cases[:2], [[0, 0], [1, 1]], [[], []])
        write_evidence(other, ALL, [fewer], parts=parts, shared=self.evidence.header["shared"])
        with pytest.raises(ReadError, match="different cases"):
            read_evidence(written, other)
        write_evidence(other, assessment_of([{"id": "mcc"}]), [second], parts={"mcc": first.part}, shared={})
        with pytest.raises(ReadError, match="other metrics"):
            read_evidence(written, other)

    def test_what_is_not_there_is_a_key_error(self, written: Path) -> None:
        found = read_evidence(written)
        for metric, algorithm in (("accuracy", "nobody"), ("volume", "a")):
            with pytest.raises(KeyError, match="no evidence of metric"):
                found.select(metric, algorithm)

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"case,label\na,1\n", b"PAR1" + bytes(64) + b"PAR1"])
    def test_other_files_are_refused(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "evidence.parquet"
        path.write_bytes(content)
        with pytest.raises(ReadError, match="no file of evidence"):
            read_evidence(path)

    def test_other_tables_truncated_and_unordered_ones_are_refused(self, written: Path, tmp_path: Path) -> None:
        path = tmp_path / "other.parquet"
        parquet.write_table(pa.table({"case": ["a"]}), path)
        with pytest.raises(ReadError, match="no file of evidence"):
            read_evidence(path)
        path.write_bytes(written.read_bytes()[:-20])
        with pytest.raises(ReadError, match="no file of evidence"):
            read_evidence(path)
        table = parquet.read_table(written)
        parquet.write_table(table.take([1, 0, 2, 3]), path)
        with pytest.raises(ReadError, match="no file of evidence"):
            read_evidence(path)
        header = table.schema.metadata[b"podium.evidence"].replace(b'"schema": 1', b'"schema": 2')
        parquet.write_table(table.replace_schema_metadata({b"podium.evidence": header}), path)
        with pytest.raises(ReadError, match="another kind of evidence"):
            read_evidence(path)

    def test_absent_and_large_files_are_refused(self, written: Path, tmp_path: Path) -> None:
        with pytest.raises(ReadError, match="no such file"):
            read_evidence(tmp_path / "absent.parquet")
        for limits in (Limits(table_bytes=100), Limits(table_rows=3), Limits(decoded_bytes=10)):
            with pytest.raises(ReadError) as caught:
                read_evidence(written, limits=limits)
            assert caught.value.kind == "too_large"
