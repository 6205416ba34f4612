"""A ranking scheme of an installed package: defined here alone, it is read, ranked, explained, reported and shown."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import AssessmentError, parse
from evaluation.boards import stored
from evaluation.designs.compilation.words import pseudo_code
from evaluation.ranking import describe, rank
from evaluation.ranking.comparison import across_schemes
from evaluation.ranking.schemes import SchemeError, all_schemes, get_scheme, register, unregister
from evaluation.reporting import build_report

GUIDE = Path(__file__).parents[4] / "docs/guides/add-a-ranking-scheme.md"
MODULE = GUIDE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
DOCUMENT = {
    "problem": "table",
    "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
    "ranking": {"scheme": "trimmed_then_rank", "trim": 0.2},
    "uncertainty": {"bootstrap": 50},
}


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "site"
    info = folder / "trimmed_scheme-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "trimmed_scheme.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: trimmed-scheme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[podium.schemes]\ntrimmed = trimmed_scheme:SCHEME\n")
    return folder


@pytest.fixture
def toy(package):
    spec = importlib.util.spec_from_file_location("trimmed_scheme", package / "trimmed_scheme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield register(module.SCHEME)
    unregister(module.SCHEME.id)


@pytest.fixture
def results():
    """A is best on most cases and fails on one: the mean puts it second, the trimmed mean first."""
    level = np.linspace(0.6, 0.8, 10)
    values = {"A": [*(level[:9] + 0.1), 0.0], "B": level + 0.05, "C": level}
    rows = [(name, f"{case:02d}", value) for name, column in values.items() for case, value in enumerate(column)]
    return pd.DataFrame(rows, columns=["algorithm", "case", "value"])


def order(document):
    return [entry["name"] for entry in document["rankings"][0]["algorithms"]]


def test_scheme_of_a_package_ranks_with_its_options(toy, results):
    document = rank(parse(DOCUMENT), results)
    assert order(document) == ["A", "B", "C"]
    assert document["schemes"][0]["trim"] == 0.2
    assert document["rankings"][0]["scheme"] == "trimmed_then_rank"
    assert document["rankings"][0]["resampled"]
    mean = {**DOCUMENT, "ranking": {}}
    assert order(rank(parse(mean), results)) == ["B", "A", "C"]


def test_its_assessment_is_read_back_as_it_was_written(toy):
    assessment = parse(DOCUMENT)
    assert parse(assessment.document) == assessment
    assert parse({**DOCUMENT, "ranking": {"scheme": "trimmed_then_rank"}}).rankings[0].options == {"trim": 0.1}


@pytest.mark.parametrize(
    ("ranking", "place", "allowed"),
    [
        ({"scheme": "trimmed_then_rank", "trim": 0.5}, "ranking.trim", "a share from 0 to 0.4"),
        ({"scheme": "trimmed_then_rank", "operator": "median"}, "ranking.operator", "trimmed_then_rank has none"),
        ({"trim": 0.1}, "ranking.trim", "only trimmed_then_rank has one"),
        ({"scheme": "trimmed"}, "ranking.scheme", "trimmed_then_rank"),
    ],
)
def test_what_it_does_not_allow_is_refused_by_name(toy, ranking, place, allowed):
    with pytest.raises(AssessmentError) as refusal:
        parse({**DOCUMENT, "ranking": ranking})
    assert str(refusal.value).startswith(place)
    assert allowed in str(refusal.value)


def test_it_is_explained_reported_compared_and_shown_in_its_own_words(toy, results):
    assessment = parse(DOCUMENT)
    sentence = "The best and worst 20% of the cases are left out; the best mean of the others gets rank 1."
    assert sentence in describe(assessment)
    assert "  score ← mean without the outer 20%" in pseudo_code(assessment)
    assert sentence in build_report(assessment, results, bootstrap=20)
    assert "trimmed, then rank" in across_schemes(assessment, results)[0]["labels"]
    board = stored.build(rank(assessment, results), assessment)
    assert board["orders"][0]["statistic"] == "trimmed mean"
    assert board["orders"][0]["rank"] == [1, 2, 3]


def test_command_line_finds_it_by_its_entry_point(package, results, tmp_path):
    results.to_csv(tmp_path / "results.csv", index=False)
    (tmp_path / "assessment.json").write_text(json.dumps(DOCUMENT))
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [
            sys.executable, "-m", "evaluation", "rank", str(tmp_path / "assessment.json"), "--results",
            str(tmp_path / "results.csv"), "--columns", "algorithm=algorithm,case=case,value=value",
        ],
        capture_output=True, text=True, cwd=root, check=False,
        env={**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{root}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert order(json.loads(done.stdout)) == ["A", "B", "C"]


def test_an_id_is_given_once_and_built_in_schemes_stay(toy):
    with pytest.raises(SchemeError, match="the id 'trimmed_then_rank' is taken by Trim, average, then rank"):
        register(toy)
    with pytest.raises(SchemeError, match="is not a ranking scheme"):
        register("trimmed")
    with pytest.raises(SchemeError, match="built in"):
        unregister(all_schemes()[0].id)
    with pytest.raises(SchemeError, match="there is aggregate_then_rank, rank_then_aggregate"):
        get_scheme("nothing")
