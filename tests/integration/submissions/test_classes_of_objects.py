"""Detection with and without named classes: what can be sealed, submitted and scored, on the platform and at home."""

import copy
import json
from pathlib import Path

import pandas as pd
import pytest

from datastore.test_sets.queries.test_sets import expectation
from datastore.test_sets.services.sealing import TestSetError, create_test_set
from evaluation.cli import main
from evaluation.scoring import read_results
from submissions.models import Submission
from submissions.queries import results_frame
from tests.integration.submissions.test_tables import CASES, OBJECTS, add_phase, boxes, handed_in, scored, table
from tests.integration.submissions.world import World

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Kinds of problem differ in files and values, not in rows."),
]

UNNAMED = copy.deepcopy(OBJECTS)
del UNNAMED["regions"]
UNNAMED["ranking"] = {
    "scheme": "aggregate_then_rank",
    "combine": {"over": ["metric"], "operator": "mean", "rerank": True},
}


def with_class(rows: list[list[object]], name: str | None) -> bytes:
    """The rows with one class for all, or without the column for ``None``."""
    head, *body = rows
    if name is None:
        return table([[head[0], *head[2:]], *([row[0], *row[2:]] for row in body)])
    return table([head, *([row[0], name, *row[2:]] for row in body)])


def sealed(world: World, tmp_path: Path, assessment: dict, references: bytes) -> World:
    world.phase = add_phase(world, "cells", assessment)
    folder = tmp_path / "table"
    folder.mkdir(exist_ok=True)
    (folder / "objects.csv").write_bytes(references)
    (folder / "cases.csv").write_text("case\n" + "\n".join(CASES) + "\n")
    world.test_set = create_test_set(phase=world.phase, references=folder, cases=CASES)
    return world


@pytest.mark.parametrize(
    ("referenced", "predicted", "columns"),
    [
        (None, None, ("case", "score", "x_min", "y_min", "x_max", "y_max")),
        ("", "", ("case", "score", "x_min", "y_min", "x_max", "y_max")),
        ("cell", "cell", ("case", "class", "score", "x_min", "y_min", "x_max", "y_max")),
        ("cell", None, ("case", "class", "score", "x_min", "y_min", "x_max", "y_max")),
    ],
)
def test_a_detection_that_names_no_class_can_be_taken_part_in(
    world: World, workers, tmp_path, referenced, predicted, columns
):
    sealed(world, tmp_path, UNNAMED, with_class(boxes(0, scored=False, cases=CASES[:-1]), referenced))
    assert expectation(world.test_set, world.phase.assessment).table.columns == columns
    prediction = with_class(boxes(), predicted)
    run = scored(world, {"objects.csv": prediction}).runs.get()

    home = tmp_path / "home"
    home.mkdir()
    (home / "objects.csv").write_bytes(prediction)
    (tmp_path / "assessment.json").write_text(json.dumps(UNNAMED))
    arguments = ["score", str(tmp_path / "assessment.json"), "--references", str(tmp_path / "table")]
    assert (
        main([*arguments, "--predictions", str(home), "--algorithm", "Ada's", "--output", str(tmp_path / "r.csv")]) == 0
    )
    shared = ["algorithm", "case", "region", "metric", "value", "outcome"]
    order = ["case", "region", "metric"]
    ours = results_frame(run)[shared].sort_values(order, ignore_index=True)
    theirs = read_results(tmp_path / "r.csv")[shared].sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, check_exact=True)
    assert "missing" not in set(ours["outcome"])
    assert ours["value"].max() > 0


def test_a_class_that_the_references_do_not_have_is_refused_with_those_they_have(world: World, workers, tmp_path):
    sealed(world, tmp_path, UNNAMED, with_class(boxes(0, scored=False), "cell"))
    submission = handed_in(world, {"objects.csv": with_class(boxes(), "imposter")})
    assert submission.state == Submission.State.REFUSED
    assert "the class 'imposter' in row 2; expected one of cell" in submission.reason


def test_references_of_several_classes_need_a_design_that_names_them(world: World, tmp_path):
    rows = boxes(0, scored=False)
    rows[1][1] = "imposter"
    with pytest.raises(
        TestSetError, match=r"2 classes \(cell, imposter\), and the design names none. Name the classes"
    ):
        sealed(world, tmp_path, UNNAMED, table(rows))


def test_an_object_without_a_class_is_refused_where_the_design_names_several(world: World, workers, tmp_path):
    several = copy.deepcopy(OBJECTS)
    several["regions"].append({"name": "debris", "labels": ["debris"]})
    references = boxes(0, scored=False)
    references[2][1] = "debris"
    with pytest.raises(TestSetError, match="case image_01 has an object without a class"):
        sealed(world, tmp_path, several, table([references[0], [CASES[0], "", *references[1][2:]], *references[2:]]))
    world.phase.delete()
    sealed(world, tmp_path, several, table(references))
    submission = handed_in(world, {"objects.csv": with_class(boxes(), "")})
    assert submission.state == Submission.State.REFUSED
    assert "no class in row 2; expected a class for each object. The classes are cell, debris" in submission.reason


def test_the_command_line_refuses_what_the_platform_refuses(tmp_path, capsys):
    folder, home = tmp_path / "table", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    rows = boxes(0, scored=False)
    rows[1][1] = "imposter"
    (folder / "objects.csv").write_bytes(table(rows))
    (home / "objects.csv").write_bytes(table(boxes()))
    (tmp_path / "assessment.json").write_text(json.dumps(UNNAMED))
    arguments = ["score", str(tmp_path / "assessment.json"), "--references", str(folder), "--predictions", str(home)]
    assert main([*arguments, "--output", str(tmp_path / "results.csv")]) == 2
    assert "Name the classes in the design" in capsys.readouterr().err
