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
from evaluation.metrics.coco import CUTOFFS, coco_scores
from evaluation.metrics.detection import average_precision, mean_average_precision, mean_average_recall


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


def everything_by_pycocotools(truth, found, names):
    """Precision and recall at 10 cutoffs, in 4 ranges of areas and with 3 limits."""
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = {
            "info": {},
            "images": [{"id": image} for image in range(len(truth))],
            "annotations": [
                {"id": 1 + 1000 * image + place, "image_id": image, "category_id": names.index(objects.classes[place]),
                 "bbox": [*box[:2], *(box[2:] - box[:2])], "area": float(np.prod(box[2:] - box[:2])),
                 "iscrowd": int(objects.ignored[place])}
                for image, objects in enumerate(truth) for place, box in enumerate(objects.boxes)
            ],
            "categories": [{"id": code} for code in range(len(names))],
        }  # fmt: skip
        known.createIndex()
        results = [
            {"image_id": image, "category_id": names.index(objects.classes[place]),
             "bbox": [*box[:2], *(box[2:] - box[:2])], "score": float(objects.scores[place])}
            for image, objects in enumerate(found) for place, box in enumerate(objects.boxes)
        ]  # fmt: skip
        judge = COCOeval(known, known.loadRes(results), "bbox")
        judge.params.iouThrs = np.array(CUTOFFS)
        judge.evaluate()
        judge.accumulate()
        judge.summarize()
    return judge.eval["precision"], judge.eval["recall"], judge.stats


@pytest.mark.parametrize("seed", range(24))
def test_everything_that_pycocotools_accumulates_is_equal(seed):
    """Crowds, ties, touching and crowded boxes of all sizes, empty images; and the twelve numbers of its summary."""
    rng = np.random.default_rng(seed)
    names, truth, found = ["a", "b", "c"], [], []
    for _ in range(int(rng.integers(1, 12))):
        number = int(rng.integers(0, 25))
        corner = np.round(rng.uniform(0, 80 if seed % 2 else 900, (number, 2)))
        size = np.round(rng.choice([12, 30, 60, 150], (number, 1)) * rng.uniform(0.6, 1.4, (number, 2)))
        classes = rng.choice(names[: 2 + seed % 2], number).tolist()
        truth.append(Objects(boxes=np.hstack([corner, corner + size]).reshape(-1, 4), classes=classes,
                             ignored=rng.random(number) < 0.1))  # fmt: skip
        kept = rng.random(number) < 0.8
        moved = np.repeat(corner[kept] + rng.integers(-4, 5, (kept.sum(), 2)), 2, axis=0)
        boxes = np.hstack([moved, moved + np.repeat(size[kept], 2, axis=0) + rng.integers(0, 6, moved.shape)])
        guessed = np.repeat(np.array(classes, dtype=object)[kept], 2)
        order = rng.permutation(len(boxes))
        scores = np.round(rng.random(len(boxes)), 1 if seed % 3 else 6)
        found.append(Objects(boxes=boxes[order].reshape(-1, 4), classes=guessed[order].tolist(), scores=scores))
    if not sum(each.size for each in found):
        found[0] = Objects(boxes=[[0, 0, 5, 5]], classes=["a"], scores=[0.5])
    scores = coco_scores(truth, found, names)
    precision, recall, stats = everything_by_pycocotools(truth, found, names)
    np.testing.assert_allclose(scores.precision, precision, rtol=0, atol=1e-12)
    np.testing.assert_allclose(scores.recall, recall, rtol=0, atol=1e-12)
    summary = [
        *(scores.mean("precision", cutoff=cutoff) for cutoff in (None, 0, 5)),
        *(scores.mean("precision", area=area) for area in (1, 2, 3)),
        *(scores.mean("recall", limit=limit) for limit in (0, 1, 2)),
        *(scores.mean("recall", area=area) for area in (1, 2, 3)),
    ]
    np.testing.assert_allclose(summary, stats, rtol=0, atol=1e-12)
    for area, place in ((None, 8), ("small", 9), ("medium", 10), ("large", 11)):
        result = mean_average_recall(truth, found, area=area)
        assert (-1 if result.value is None else result.value) == pytest.approx(stats[place], abs=1e-12)
        options = {"interpolation": "coco_101", "localization_thresholds": list(CUTOFFS), "area": area}
        precise = mean_average_precision(truth, found, **options)
        expected = stats[0] if area is None else stats[place - 6]
        assert (-1 if precise.value is None else precise.value) == pytest.approx(expected, abs=1e-12)
