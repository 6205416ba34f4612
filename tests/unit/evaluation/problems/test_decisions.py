"""Detection tables with a column ``decision``, which states directly what counts as detected."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from evaluation import problems
from evaluation.assessment import parse
from evaluation.readers import ReadError
from evaluation.readers.object_tables import RowRules, read_objects
from evaluation.scoring import score_folders

CASES = ("a", "b", "c", "d")
HIT = {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5}
ASSESSMENT = parse({
    "problem": "object_detection",
    "settings": {"unit": "um"},
    "metrics": [
        {"id": "fbeta", "options": HIT},
        {"id": "sensitivity", "options": {**HIT, "scale": "image"}},
        {"id": "average_precision", "options": HIT},
    ],
})  # fmt: skip


def write(folder, rows, columns):
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "objects.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return folder


@pytest.fixture
def tables():
    chance = np.random.default_rng(5)
    references, predictions = [], []
    for case in CASES:
        for x, y in chance.uniform(0, 500, (12, 2)).round(3):
            references.append((case, x, y))
            predictions.append((case, x + chance.uniform(-6, 6), y, round(chance.uniform(), 3)))
    return references, predictions


def values(tmp_path, references, predictions, columns):
    truth = write(tmp_path / "references", references, ("case", "x", "y"))
    (truth / "cases.csv").write_text("case\n" + "\n".join(CASES) + "\n")
    scored = score_folders(ASSESSMENT, truth, {"team": write(tmp_path / "team", predictions, columns)})
    return {(row.metric, row.case): row.value for row in scored.rows}


def test_decisions_replace_the_threshold_and_leave_curves_alone(tmp_path, tables):
    references, predictions = tables
    plain = ("case", "x", "y", "score")
    without = values(tmp_path, references, predictions, plain)
    same = [(*row, int(row[3] >= 0.5)) for row in predictions]
    assert values(tmp_path, references, same, (*plain, "decision")) == without

    kept = [row for row in predictions if row[3] < 0.3]
    other = [(*row, int(row[3] < 0.3)) for row in predictions]
    decided = values(tmp_path, references, other, (*plain, "decision"))
    alone = values(tmp_path, references, [(*row[:3], 1) for row in kept], plain)
    assert decided["average_precision", ""] == without["average_precision", ""]
    counted = [key for key in decided if key[0] != "average_precision"]
    assert {key: decided[key] for key in counted} == {key: alone[key] for key in counted}
    assert decided["fbeta", ""] != without["fbeta", ""]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("1", ""), "no decision in row 3; expected 0 or 1 in every row, or a table without this column"),
        (("1", "0.5"), "'0.5' as decision in row 3"),
        (("yes", "1"), "'yes' as decision in row 2"),
    ],
)
def test_a_cell_that_is_no_decision_costs_its_row(tmp_path, cells, message):
    rows = [(case, 1, 2, 0.5, cell) for case, cell in zip("ab", cells, strict=True)]
    folder = write(tmp_path, rows, ("case", "x", "y", "score", "decision"))
    with pytest.raises(ReadError) as refusal:
        read_objects(folder / "objects.csv", scored=True)
    assert message in str(refusal.value)
    table = read_objects(folder / "objects.csv", scored=True, rules=RowRules())
    [(case, [issue])] = table.dropped.items()
    assert message in issue.message
    [(kept, objects)] = table.objects.items()
    assert {case, kept} == {"a", "b"}
    assert objects.decisions.tolist() == [True]


@pytest.mark.parametrize("kind", [int, float, bool])
def test_a_column_of_pandas_is_read_whatever_its_type(tmp_path, kind):
    frame = pd.DataFrame({"case": "a", "x": [1.0, 2.0], "y": [1.0, 2.0], "score": [0.9, 0.1], "decision": [0, 1]})
    path = tmp_path / "objects.csv"
    frame.astype({"decision": kind}).to_csv(path, index=False)
    [objects] = read_objects(path, scored=True).objects.values()
    assert objects.decisions.tolist() == [False, True]


def test_references_have_no_decisions(tmp_path):
    folder = write(tmp_path, [("a", 1, 2, "")], ("case", "x", "y", "decision"))
    assert read_objects(folder / "objects.csv", scored=False).of("a").decisions is None


@pytest.mark.parametrize(
    ("given", "refused"), [([1, 0], ""), ([1, None], "decision in 1 of 2"), ([1, 2], "decision 2")]
)
def test_annotations_of_coco_carry_decisions(tmp_path, given, refused):
    entries = [
        {"image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2], "score": 0.5}
        | ({} if decision is None else {"decision": decision})
        for decision in given
    ]
    document = {
        "images": [{"id": 1, "file_name": "a.png"}],
        "categories": [{"id": 1, "name": "cell"}],
        "annotations": entries,
    }
    (tmp_path / "objects.json").write_text(json.dumps(document))
    if refused:
        with pytest.raises(ReadError, match=refused):
            read_objects(tmp_path / "objects.json", scored=True)
        table = read_objects(tmp_path / "objects.json", scored=True, rules=RowRules())
        assert (len(table.of("a")), len(table.dropped["a"])) == (1, 1)
        return
    assert read_objects(tmp_path / "objects.json", scored=True).of("a").decisions.tolist() == [True, False]


def test_the_submit_page_names_the_column():
    kind = problems.get("object_detection")
    words = kind.texts.submit_page(kind.expected(ASSESSMENT, {"classes": [""]}), 3)
    assert any("`decision`" in paragraph for paragraph in words.before)
