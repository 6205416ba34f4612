"""Scoring images for every kind of problem: their input, and the nine checks on valid and broken ones.

The program runs in this process. tests/containers/test_scorers.py and tests/integration/judging run it in containers.
"""

from itertools import product
from pathlib import Path

import pytest

from evaluation import problems
from evaluation.assessment import AssessmentError, parse
from evaluation.problems.shown import Rows
from evaluation.running.scorer_trials import TrialCase
from tests.containers import own_scorer, scorers
from tests.sizes import size

FILES = {
    "semantic_segmentation": ({"labels.tif"}, {"labels.tif"}),
    "instance_segmentation": ({"labels.tif"}, {"labels.tif"}),
    "segmentation_with_confidence": ({"labels.tif"}, {"labels.tif", "confidence.csv"}),
    "image_to_image": ({"image.tif", "mask.tif"}, {"image.tif"}),
    "object_detection": ({"objects.csv"}, {"objects.csv"}),
    "landmarks": ({"landmarks.csv"}, {"landmarks.csv"}),
    "image_classification": ({"labels.csv"}, {"labels.csv"}),
    "multilabel_classification": ({"labels.csv"}, {"labels.csv"}),
    "regression": ({"values.csv"}, {"values.csv"}),
}
"""Of a reference, and of a prediction."""
KINDS, MODES = scorers.KINDS, tuple(scorers.BROKEN)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory):
    """Assessment and cases of a kind, made once."""
    by_kind: dict[str, tuple] = {}

    def of(kind: str):
        if kind not in by_kind:
            folder = tmp_path_factory.mktemp(kind)
            assessment = scorers.example(kind, folder)
            by_kind[kind] = assessment, scorers.cases_of(assessment, folder, folder / "made")
        return by_kind[kind]

    return of


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that waits is over its time."""

    def overdue(_seconds: float) -> None:
        raise TimeoutError

    monkeypatch.setattr(own_scorer.time, "sleep", overdue)


def test_these_kinds_take_scoring_images() -> None:
    assert set(scorers.KINDS) == set(FILES)


@pytest.mark.parametrize("kind", scorers.KINDS)
def test_files_of_a_case_have_names_that_tell_nothing(kind: str, examples) -> None:
    _, cases = examples(kind)

    for case in cases:
        assert (set(case.reference), set(case.predictions["given"])) == FILES[kind]
        assert set(case.best) == set(case.predictions["given"])
        assert len(case.predictions) >= 4


@pytest.mark.parametrize("kind", scorers.KINDS)
def test_tables_show_the_rows_of_the_case_alone(kind: str, examples) -> None:
    _, cases = examples(kind)
    tables = [
        path for case in cases for path in (*case.reference.values(), *case.best.values()) if path.suffix == ".csv"
    ]

    assert (
        bool(tables)
        is any(kind_of_file == "csv" for _, kind_of_file in problems.get(kind).scorer_files.stems_and_kinds)
        or kind == "instance_segmentation"
    )
    for path in tables:
        assert "case" not in Rows.read(path).columns
        assert not any(case.name in path.read_text() for case in cases)


@pytest.mark.parametrize("kind", scorers.KINDS)
def test_a_scorer_that_keeps_to_the_rules_passes_all_checks(kind: str, examples, tmp_path: Path) -> None:
    test = scorers.tried(*examples(kind), tmp_path)

    assert test.said == {}
    assert [check["passed"] for check in test.document()["checks"]] == [True] * 9


@pytest.mark.parametrize(
    ("kind", "mode"),
    size(
        [(KINDS[n % len(KINDS)], MODES[n % len(MODES)]) for n in range(max(len(KINDS), len(MODES)))],
        [*product(KINDS, MODES)],
    ),
)
def test_each_broken_rule_is_refused_with_its_reason(kind: str, mode: str, examples, tmp_path: Path) -> None:
    number, words = scorers.BROKEN[mode]

    test = scorers.tried(*examples(kind), tmp_path, mode)

    assert not test.is_passed
    assert words in test.said[number]


@pytest.mark.parametrize("kind", sorted({problem.id for problem in problems.scored_problems()} - set(scorers.KINDS)))
def test_a_kind_whose_reference_is_no_prediction_takes_none(kind: str, tmp_path: Path) -> None:
    written = problems.get(kind).samples.write_challenge(tmp_path)

    with pytest.raises(AssessmentError, match="takes none"):
        parse(written | {"metrics": [*written["metrics"], scorers.OWN], "scorer": {"image": scorers.IMAGE}})


def test_classes_of_objects_are_shown_beside_their_label_map(tmp_path: Path) -> None:
    from evaluation.readers.instance_tables import Instance

    assessment = scorers.example("instance_segmentation", tmp_path)
    kind = problems.get("instance_segmentation")
    [path, *_] = kind.find_references(tmp_path / "references").values()
    content = kind.read_reference(assessment, path)
    files = kind.scorer_files.write_reference(
        assessment, content, {1: Instance("cell"), 2: Instance("cell", ignored=True)}, tmp_path / "shown"
    )

    assert Rows.read(files["instances.csv"]).rows == (("1", "cell", "", "0"), ("2", "cell", "", "1"))
    worse = kind.samples.worse_predictions(files, tmp_path / "worse")
    assert [len(Rows.read(files["instances.csv"]).rows) for files in worse.values()] == [0, 1, 2, 2]
    assert all(isinstance(case, dict) for case in worse.values())
    TrialCase("a", files, worse)
