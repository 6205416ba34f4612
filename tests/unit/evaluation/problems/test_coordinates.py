"""Units of coordinates: registered, converted once, shown to those who write tables, and missed where they lack."""

import csv

import numpy as np
import pandas as pd
import pytest

from evaluation import problems
from evaluation.assessment import AssessmentError, parse
from evaluation.designs.compilation.words import pseudo_code
from evaluation.problems.case_tables import described, expected_of
from evaluation.problems.coordinates import lacks_unit
from evaluation.readers import ReadError
from evaluation.scoring import score_folders

KIND = problems.get("object_detection")
CASES = ("a", "b", "c")
HIT = {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5, "scale": "image"}


def assessment(threshold=7.5, **settings):
    metrics = [{"id": "fbeta", "options": {**HIT, "localization_threshold": threshold}}]
    document = {"problem": "object_detection", "metrics": metrics}
    return parse({**document, "settings": settings} if settings else document)


def write(folder, points, *, scale=1.0, scored=False, spacing=None):
    """Write a table of points; ``scale`` turns pixels into the unit of the table."""
    folder.mkdir(exist_ok=True)
    with (folder / "objects.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["case", "x", "y", *(["score"] if scored else [])])
        for case, places in points.items():
            for place in places:
                writer.writerow([case, *(place * scale).tolist(), *([0.9] if scored else [])])
    if spacing:
        lines = ["case,spacing_x,spacing_y", *(f"{case},{size},{size}" for case, size in spacing.items())]
        (folder / "cases.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def points():
    chance = np.random.default_rng(3)
    references = {case: chance.uniform(0, 4000, (40, 2)) for case in CASES}
    predictions = {case: places + chance.uniform(-40, 40, places.shape) for case, places in references.items()}
    return references, predictions


def f1(scored):
    return [row.value for row in sorted(scored.rows, key=lambda row: row.case)]


def by_hand(references, predictions, size):
    """F1 of each case where every prediction belongs to the reference that it was made from."""
    values = []
    for case in CASES:
        distances = np.hypot(*((references[case] - predictions[case]) * size).T)
        hits = int((distances <= 7.5).sum())
        values.append(2 * hits / (2 * len(distances)))
    return values


@pytest.mark.parametrize(
    ("settings", "scale", "size", "spacing"),
    [
        ({"unit": "px", "spacing": [0.25, 0.25], "spacing_unit": "um"}, 1.0, 0.25, None),
        ({"unit": "px", "spacing": "cases", "spacing_unit": "um"}, 1.0, 0.25, dict.fromkeys(CASES, 0.25)),
        ({"unit": "um"}, 0.25, 0.25, None),
        ({"unit": "px"}, 1.0, 1.0, None),
        ({}, 1.0, 1.0, None),
    ],
)
def test_the_same_objects_have_the_same_score_in_whatever_unit_they_are_registered(
    points, tmp_path, settings, scale, size, spacing
):
    references, predictions = points
    folder = write(tmp_path / "references", references, scale=scale, spacing=spacing)
    team = write(tmp_path / "team", predictions, scale=scale, scored=True)
    scored = score_folders(assessment(**settings), folder, {"team": team})
    assert f1(scored) == pytest.approx(by_hand(references, predictions, size))
    assert 0 < np.mean(f1(scored)) < 1


def test_a_spacing_that_a_case_lacks_or_that_does_not_fit_is_refused(points, tmp_path):
    folder = write(tmp_path / "references", points[0], spacing={"a": 0.25, "b": 0.25, "c": 0})
    with pytest.raises(ReadError, match="'0' as spacing_x of the case c; expected a number above 0"):
        KIND.open_references(assessment(unit="px", spacing="cases"), folder)
    with pytest.raises(ReadError, match="a spacing of 3 axes, and the references have 2"):
        KIND.open_references(assessment(unit="px", spacing=[1, 1, 1]), folder)


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"unit": "mm", "spacing": [1, 1]}, "settings.spacing"),
        ({"unit": "px", "spacing_unit": "um"}, "settings.spacing_unit"),
        ({"unit": "inch"}, "settings.unit"),
        ({"unit": "px", "spacing": [0, 1]}, "settings.spacing"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings, place):
    with pytest.raises(AssessmentError, match=place):
        assessment(**settings)


def test_a_document_without_a_unit_keeps_its_form_and_lacks_a_unit_where_distances_decide():
    assert "settings" not in assessment().document
    assert lacks_unit(assessment())
    assert not lacks_unit(assessment(unit="px"))
    boxes = parse({"problem": "object_detection", "metrics": [{"id": "average_precision"}]})
    assert not lacks_unit(boxes)


def test_the_unit_is_shown_to_those_who_write_tables_and_beside_the_threshold():
    registered = assessment(unit="um")
    expected = KIND.expected(registered, {"classes": [""]})
    assert expected_of("object_detection", described(expected, None)).unit == "um"
    assert "Coordinates are in µm" in KIND.texts.submit_page(expected, 3).before[0]
    assert (
        "Coordinates are in pixels"
        in KIND.texts.submit_page(KIND.expected(assessment(), {"classes": [""]}), 3).before[0]
    )
    text = "\n".join(pseudo_code(registered))
    assert "localization threshold = 7.5 µm" in text
    assert "score threshold = 0.5" in text
    assert "target prevalence" not in text


def test_predictions_that_never_hit_are_questioned(points, tmp_path):
    references, predictions = points
    folder = write(tmp_path / "references", references)
    millimetres = write(tmp_path / "team", {case: places + 1e6 for case, places in predictions.items()}, scored=True)
    for team, doubted in ((millimetres, True), (write(tmp_path / "good", references, scored=True), False)):
        scored = score_folders(assessment(unit="px"), folder, {"team": team})
        rows = pd.DataFrame([{"metric": r.metric, "value": r.value, "outcome": r.outcome} for r in scored.rows])
        assert bool(KIND.plausibility.doubts(assessment(unit="px"), rows)) is doubted
