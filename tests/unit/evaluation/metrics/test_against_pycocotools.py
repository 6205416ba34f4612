"""``coco_101`` equals the result of pycocotools 2.0.11, number for number.

This makes values comparable with published ones.
"""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from evaluation.matching import Objects
from evaluation.metrics.detection import average_precision, mean_average_precision


@st.composite
def images(draw):
    """Up to four images with boxes on a small grid, so that overlaps and scores tie often; some regions are crowds."""
    corner = st.integers(0, 6)
    side = st.integers(1, 5)
    box = st.tuples(corner, corner, side, side)
    count = draw(st.integers(1, 4))
    truth = [draw(st.lists(st.tuples(box, st.integers(1, 2), st.booleans()), max_size=4)) for _ in range(count)]
    scores = st.sampled_from([0.1, 0.3, 0.5, 0.5, 0.7, 0.9])
    found = [draw(st.lists(st.tuples(box, st.integers(1, 2), scores), max_size=6)) for _ in range(count)]
    return truth, found


def by_pycocotools(truth, found, *, cutoffs, most):
    """AP over the cutoffs for each class with references, the mean of them, and None without any."""
    entries, results = [], []
    for image, own in enumerate(truth, start=1):
        for (x, y, w, h), kind, crowd in own:
            entries.append(
                {"id": len(entries) + 1, "image_id": image, "category_id": kind, "bbox": [x, y, w, h],
                 "area": w * h, "iscrowd": int(crowd)}
            )  # fmt: skip
    for image, own in enumerate(found, start=1):
        results += [
            {"image_id": image, "category_id": kind, "bbox": list(map(float, box)), "score": score}
            for box, kind, score in own
        ]
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = {
            "info": {},
            "images": [{"id": image + 1} for image in range(len(truth))],
            "annotations": entries,
            "categories": [{"id": 1}, {"id": 2}],
        }
        known.createIndex()
        evaluator = COCOeval(known, known.loadRes(results), "bbox")
        evaluator.params.iouThrs = np.array(cutoffs)
        evaluator.params.maxDets = [most]
        evaluator.params.areaRng = [[0, 1e10]]
        evaluator.params.areaRngLbl = ["all"]
        evaluator.evaluate()
        evaluator.accumulate()
    precision = evaluator.eval["precision"][:, :, :, 0, 0]
    kinds = [precision[:, :, kind] for kind in range(2)]
    return [None if (own == -1).all() else float(own.mean()) for own in kinds]


def objects(rows, *, scored):
    boxes = [[x, y, x + w, y + h] for (x, y, w, h), _, _ in rows]
    return Objects(
        boxes=np.array(boxes, dtype=float).reshape(len(rows), 4),
        classes=[str(kind) for _, kind, _ in rows],
        scores=[extra for *_, extra in rows] if scored else None,
        ignored=None if scored else [extra for *_, extra in rows],
    )


@settings(max_examples=200, deadline=None)
@given(images(), st.sampled_from([1, 2, 100]), st.sampled_from([[0.5], [0.5, 0.75], [1 / 3, 1.0]]))
def test_average_precision_is_that_of_pycocotools(drawn, most, cutoffs):
    truth, found = drawn
    if not any(found):
        return  # pycocotools takes no empty list of results
    references = [objects(rows, scored=False) for rows in truth]
    predictions = [objects(rows, scored=True) for rows in found]
    options = {"interpolation": "coco_101", "localization_thresholds": cutoffs, "max_detections": most}
    expected = by_pycocotools(truth, found, cutoffs=cutoffs, most=most)
    for kind, value in zip(("1", "2"), expected, strict=True):
        chosen = [each.select(each.classes == kind) for each in references]
        guessed = [each.select(each.classes == kind) for each in predictions]
        ours = average_precision(chosen, guessed, **options)
        assert (ours.value is None) == (value is None)
        if value is not None:
            assert ours.value == pytest.approx(value, abs=1e-12)
    present = [value for value in expected if value is not None]
    if present:
        assert mean_average_precision(references, predictions, **options).value == pytest.approx(
            np.mean(present), abs=1e-12
        )


def test_equal_scores_enter_in_the_order_of_the_file():
    truth = [[((0, 0, 4, 4), 1, False)]]
    right, wrong = ((0, 0, 4, 4), 1, 0.5), ((6, 6, 2, 2), 1, 0.5)
    for rows, value in (([right, wrong], 1.0), ([wrong, right], 0.5)):
        ours = average_precision(
            [objects(truth[0], scored=False)], [objects(rows, scored=True)], interpolation="coco_101"
        )
        assert ours.value == pytest.approx(value)
        assert by_pycocotools(truth, [rows], cutoffs=[0.5], most=100)[0] == pytest.approx(value)


def test_only_so_many_detections_of_an_image_are_read():
    truth = objects([((0, 0, 4, 4), 1, False)], scored=False)
    many = [((6, 6, 1, 1), 1, 0.9)] * 100 + [((0, 0, 4, 4), 1, 0.5)]
    found = objects(many, scored=True)
    assert average_precision([truth], [found], interpolation="coco_101").value == 0.0
    assert average_precision([truth], [found], interpolation="coco_101", max_detections=101).value > 0.0


def test_the_cleaner_variant_compares_whole_numbers_and_takes_any_matching():
    truth = [objects([((4 * i, 0, 2, 2), 1, False) for i in range(10)], scored=False)]
    found = [objects([((4 * i, 0, 2, 2), 1, 0.9 - i / 100) for i in range(7)], scored=True)]
    assert average_precision(truth, found, interpolation="points_101").value == pytest.approx(71 / 101)
    assert average_precision(truth, found, interpolation="points_101", assignment="hungarian").value == pytest.approx(
        71 / 101
    )
    with pytest.raises(ValueError, match="choose points_101"):
        average_precision(truth, found, interpolation="coco_101", assignment="hungarian")
