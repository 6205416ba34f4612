"""Challenges whose values are of the whole data set: numbers, findings, survival, failure detection; scored by the real code."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evaluation import problems
from evaluation.assessment import Assessment, parse
from evaluation.problems.answers import AnswerProblem, KnownCase, NumberReferences
from evaluation.problems.multilabel_classification import Answer as Findings
from evaluation.problems.survival import Answer as Times
from evaluation.problems.survival import SurvivalReferences
from evaluation.readers.number_tables import NumberTable
from evaluation.scoring.evidence import Evidence, make_evidence

ANSWER_KINDS = ("regression", "multilabel_classification", "survival", "failure_detection")
_DOCUMENTS: dict[str, dict[str, Any]] = {
    "regression": {
        "regions": [{"name": "age"}],
        "metrics": [{"id": "rmse"}, {"id": "icc"}],
        "settings": {"targets": {"age": {"range": [0, 120]}}},
    },
    "multilabel_classification": {
        "regions": [{"name": "nodule"}],
        "metrics": [{"id": "accuracy"}, {"id": "auroc"}],
    },
    "survival": {
        "metrics": [{"id": "harrell_c"}, {"id": "integrated_brier_score"}],
        "settings": {"times": [6, 12], "unit": "months"},
    },
    "failure_detection": {"metrics": [{"id": "aurc"}, {"id": "augrc"}]},
}


@dataclass(frozen=True)
class Answered:
    """A challenge with values of the whole data set.

    Attributes
    ----------
    absent
        Cases without an answer, by team.
    cases
        Which case is of which data set, where there are several.
    """

    assessment: Assessment
    results: pd.DataFrame
    evidence: Evidence
    absent: dict[str, set[str]]
    cases: pd.DataFrame | None = None


def answered(
    random: np.random.Generator,
    kind: str,
    names: list[str],
    cases: list[str],
    uncertainty: dict[str, Any],
    exclusions: dict[str, Any],
) -> Answered:
    """Answers of some quality to numbers at random, each team somewhat worse than the one before."""
    problem = problems.get(kind)
    assert isinstance(problem, AnswerProblem)
    document = {"problem": kind, **_DOCUMENTS[kind], "uncertainty": uncertainty, **exclusions}
    document["metrics"] = document["metrics"][: int(random.integers(1, 3))]
    document["ranking"] = {"scheme": "one_score"}
    over = ["metric"] if len(document["metrics"]) > 1 else []
    data_sets = _data_sets(random, kind, cases, document)
    if data_sets is not None:
        over.append("region")
    if over:
        document["ranking"]["combine"] = {"over": over, "operator": "mean", "rerank": True}
    assessment = parse(document)
    table = _references(random, kind, cases)
    shared = problem.shared(table, assessment, cases, {})
    facts = {} if data_sets is None else data_sets.set_index("case").to_dict("index")
    shared |= problem.shared_facts(table, assessment, {case: facts.get(case, {}) for case in cases})
    known = {case: problem.prepare(table, case, shared) for case in cases}
    blocks, rows, absent = [], [], {}
    for place, name in enumerate(names):
        noise = 0.1 + float(random.choice([0.0, 0.1, 1.0])) * place / len(names)
        missing = random.random(len(cases)) < float(random.choice([0.0, 0.0, 0.1]))
        absent[name] = {case for case, lacks in zip(cases, missing, strict=True) if lacks}
        pieces = {
            case: problem.score(
                assessment,
                case,
                known[case],
                None if case in absent[name] else _answer(random, kind, known[case], noise),
                algorithm=name,
            ).pieces
            for case in cases
        }
        own, evidence = problem.evidence.assemble(assessment, name, pieces, shared)
        blocks += evidence
        rows += [
            (row.algorithm, "", row.region, row.metric, row.value, str(row.outcome), str(row.flag), row.worst)
            for row in own
        ]
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "flag", "worst"]
    results = pd.DataFrame(rows, columns=columns)
    parts = problem.evidence.parts_by_metric(assessment)
    evidence = make_evidence(assessment, blocks, parts=parts, shared=shared)
    return Answered(assessment, results, evidence, absent, data_sets)


def _data_sets(
    random: np.random.Generator, kind: str, cases: list[str], document: dict[str, Any]
) -> pd.DataFrame | None:
    """Sometimes cases of two or three data sets, which are ranked apart."""
    if kind != "failure_detection" or len(cases) < 4 or random.random() < 0.4:
        return None
    sites = [f"site-{number}" for number in random.integers(0, int(random.integers(2, 4)), len(cases))]
    sites[:2] = ["site-0", "site-1"]
    document["settings"] = {"dataset": "site", "pooled": bool(random.random() < 0.5)}
    return pd.DataFrame({"case": cases, "site": sites})


def _references(random: np.random.Generator, kind: str, cases: list[str]) -> NumberReferences:
    columns = {
        "regression": {"age": random.integers(20, 90, len(cases)).astype(float)},
        "multilabel_classification": {"nodule": random.integers(0, 2, len(cases)).astype(float)},
        "survival": {
            "time": random.integers(1, 24, len(cases)).astype(float),
            "event": (random.random(len(cases)) < 0.7).astype(float),
        },
        "failure_detection": {"risk": random.random(len(cases)).round(2)},
    }[kind]
    if kind == "survival":  # somebody is followed beyond the last time, or Brier scores have no weights
        columns["time"][0], columns["event"][0] = 30.0, 0.0
    numbers = {
        case: {name: float(values[place]) for name, values in columns.items()} for place, case in enumerate(cases)
    }
    table = NumberTable(
        f"{kind}.csv", tuple(columns), numbers, {}, frozenset(), {}, tuple(cases), dict.fromkeys(cases, 2)
    )
    return SurvivalReferences(table, None) if kind == "survival" else NumberReferences(table)


def _answer(random: np.random.Generator, kind: str, known: KnownCase, noise: float) -> Any:
    [numbers] = known.numbers.values()
    shift = float(random.normal(0, noise))
    if kind == "regression":
        return {"age": float(np.clip(round(numbers[0] + 20 * shift), 0, 120))}
    if kind == "multilabel_classification":
        probability = float(np.clip(0.25 + 0.5 * numbers[0] + shift, 0, 1).round(2))
        return Findings((float(probability >= 0.5),), (probability,))
    if kind == "survival":
        risk = float(np.clip(1 - numbers[0] / 30 + shift, 0.01, 0.99))
        return Times(risk, (1 - risk / 2, 1 - risk))
    return round(1 - numbers[0] + shift, 2)
