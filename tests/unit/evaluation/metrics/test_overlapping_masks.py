"""Masks that may overlap against pycocotools: overlap, average precision and recall, and run-length encoding."""

import json

import numpy as np
import pytest
from pycocotools import mask as coco_masks
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from evaluation.assessment import parse
from evaluation.assessment.errors import AssessmentError
from evaluation.matching import Objects
from evaluation.matching.criteria import CRITERIA
from evaluation.matching.mask_lists import MaskList
from evaluation.metrics import instance
from evaluation.metrics.detection import average_precision, average_recall
from evaluation.metrics.overlap import dsc
from evaluation.readers import ReadError
from evaluation.readers.limits import Limits
from evaluation.readers.run_lengths import MaskRules, decompress, encode, read_masks
from evaluation.scoring import score_folders
from tests.sizes import size

SIZE = (40, 30)
CASES = range(size(8, 24))


def masks(random, count, size=SIZE):
    """Ellipses anywhere in the image, many of which overlap."""
    rows, columns = np.indices(size)
    made = []
    for _ in range(count):
        y, x = random.uniform((0, 0), size)
        a, b = random.uniform(2, 12, 2)
        made.append(((rows - y) / a) ** 2 + ((columns - x) / b) ** 2 <= 1)
    return [each for each in made if each.any()]


def moved(random, masks_):
    return [np.roll(each, tuple(random.integers(-3, 4, 2)), axis=(0, 1)) for each in masks_]


def compressed(mask):
    return coco_masks.encode(np.asfortranarray(mask.astype(np.uint8)))


def objects(masks_, scores=None, size=SIZE):
    return Objects(masks=MaskList.of(masks_, size), scores=scores)


def images(seed):
    """References and predictions of four images."""
    random = np.random.default_rng(seed)
    references = [masks(random, int(random.integers(0, 6))) for _ in range(4)]
    predictions = [moved(random, each) + masks(random, int(random.integers(0, 3))) for each in references]
    scores = [np.round(random.uniform(0, 1, len(each)), 3) for each in predictions]
    return references, predictions, scores


@pytest.mark.parametrize("seed", CASES)
def test_overlaps_are_those_of_pycocotools(seed):
    random = np.random.default_rng(seed)
    ours, theirs = masks(random, 6), masks(random, 5)
    table = np.zeros((len(ours), len(theirs)))
    pairs = CRITERIA["loc_mask_iou"].pairs(objects(ours), objects(theirs))
    table[pairs.reference, pairs.prediction] = pairs.value
    published = coco_masks.iou(
        [compressed(each) for each in theirs], [compressed(each) for each in ours], [0] * len(ours)
    )
    assert table == pytest.approx(np.asarray(published).T, abs=1e-12)


@pytest.mark.parametrize("seed", CASES)
def test_average_precision_and_recall_are_those_of_pycocotools(seed, capsys):
    references, predictions, scores = images(seed)
    if not any(references) or not any(predictions):
        pytest.skip("nothing to match")
    annotations = [
        {"id": 1 + 10 * image + index, "image_id": image, "category_id": 1, "iscrowd": 0, "area": float(each.sum())}
        | {"segmentation": compressed(each), "bbox": coco_masks.toBbox(compressed(each)).tolist()}
        for image, of_image in enumerate(references)
        for index, each in enumerate(of_image)
    ]
    truth = COCO()
    grids = [{"id": image, "height": SIZE[0], "width": SIZE[1]} for image in range(4)]
    truth.dataset = {"images": grids, "annotations": annotations, "categories": [{"id": 1}]}
    truth.createIndex()
    rows = [
        {"image_id": image, "category_id": 1, "segmentation": compressed(each), "score": float(score)}
        for image, of_image in enumerate(predictions)
        for each, score in zip(of_image, scores[image], strict=True)
    ]
    evaluation = COCOeval(truth, truth.loadRes(rows), "segm")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    capsys.readouterr()
    ours = [objects(each) for each in references]
    theirs = [objects(each, score) for each, score in zip(predictions, scores, strict=True)]
    cutoffs = np.arange(0.5, 1, 0.05).round(2).tolist()
    options = {"localization_criterion": "loc_mask_iou", "localization_thresholds": cutoffs}
    assert average_precision(ours, theirs, interpolation="coco_101", **options).value == pytest.approx(
        evaluation.stats[0], abs=1e-9
    )
    assert average_recall(ours, theirs, **options).value == pytest.approx(evaluation.stats[8], abs=1e-9)


@pytest.mark.parametrize("seed", CASES)
def test_masks_that_do_not_overlap_have_the_values_of_their_label_map(seed):
    random = np.random.default_rng(seed)
    shape = (12, 11, 9)[: 2 + seed % 2]
    maps = [
        np.kron(random.integers(0, 4, [1 + n // 3 for n in shape]), np.ones([3] * len(shape), int)) for _ in range(2)
    ]
    maps = [np.where(random.random(each.shape) < 0.9, each, 0) for each in maps]
    spacing = (1.0, 2.0, 0.5)[: len(shape)]
    by_map = [
        Objects(labels=each, spacing=spacing, scores=np.linspace(0.2, 0.9, len(set(each.flat) - {0}))) for each in maps
    ]
    by_mask = [
        Objects(
            masks=MaskList.of([each == label for label in sorted(set(each.flat) - {0})], each.shape),
            spacing=spacing,
            scores=image.scores,
        )
        for each, image in zip(maps, by_map, strict=True)
    ]
    for name in CRITERIA:
        options = {"within": 20.0} if name == "loc_center_distance" else {}
        tables = []
        for one, other in (by_map, by_mask):
            pairs = CRITERIA[name].pairs(one, other, **options)
            order = np.lexsort((pairs.prediction, pairs.reference))
            tables.append(np.stack([pairs.reference[order], pairs.prediction[order], pairs.value[order]]))
        assert tables[0] == pytest.approx(tables[1]), name
    for function in (instance.panoptic_quality, instance.mi_dsc, instance.aji, instance.aji_plus):
        assert function(*by_map) == function(*by_mask)
    assert instance.mi_nsd(*by_map, tolerance=1.0) == instance.mi_nsd(*by_mask, tolerance=1.0)
    assert instance.of_matched(dsc, *by_map) == instance.of_matched(dsc, *by_mask)
    assert by_map[0].order.tolist() == by_mask[0].order.tolist()


def test_two_masks_at_one_place_are_matched_once_each():
    square = np.zeros(SIZE, dtype=bool)
    square[5:15, 5:15] = True
    twice, once = objects([square, square]), objects([square])
    counts = instance.panoptic_counts(twice, once)
    assert (counts.iou, counts.tp, counts.fp, counts.fn) == (1, 1, 0, 1)


def test_a_prediction_in_overlapping_ignored_regions_counts_each_pixel_once():
    left, right = np.zeros(SIZE, dtype=bool), np.zeros(SIZE, dtype=bool)
    left[:10, :10], right[:10, :20] = True, True
    ignored = Objects(masks=MaskList.of([left, left], SIZE), ignored=[True, True])
    assert instance.panoptic_counts(ignored, objects([right])).fp == 1


class TestRunLengths:
    @pytest.mark.parametrize("seed", CASES)
    def test_files_are_read_as_pycocotools_decodes_them(self, tmp_path, seed):
        random = np.random.default_rng(seed)
        made = masks(random, 4)
        rows = [{"segmentation": self.text(each), "class": "cell", "score": 0.5} for each in made]
        rows.append({"segmentation": encode(made[0].T), "ignore": 1})
        content = self.read(tmp_path, {"size": list(SIZE), "objects": rows, "spacing": [1, 2]})
        assert (content.geometry.shape, content.geometry.spacing) == ((30, 40), (1, 2))
        for each, mask in zip(content.objects, [*made, made[0]], strict=True):
            whole = np.zeros((30, 40), dtype=bool)
            box = tuple(slice(at, at + n) for at, n in zip(each.offset, each.part.shape, strict=True))
            whole[box] = each.part
            assert (whole == mask.T).all()
        assert [each.is_ignored for each in content.objects] == [False] * len(made) + [True]

    def test_volumes_continue_with_slices(self, tmp_path):
        volume = np.random.default_rng(1).random((4, 5, 3)) < 0.3
        rows = [{"segmentation": encode(volume)}]
        [each] = self.read(tmp_path, {"size": [5, 4, 3], "objects": rows}).objects
        assert each.part.sum() == volume.sum()
        assert (
            each.part == volume[tuple(slice(at, at + n) for at, n in zip(each.offset, each.part.shape, strict=True))]
        ).all()

    @pytest.mark.parametrize("seed", CASES)
    def test_strings_have_the_counts_of_pycocotools(self, seed):
        mask = np.random.default_rng(seed).random((300, 200)) < 0.3
        own = encode(mask.T)
        assert decompress(self.text(mask)["counts"]).tolist() == own["counts"]
        assert coco_masks.frPyObjects(own, *own["size"])["counts"] == compressed(mask)["counts"]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"size": [40]}, "as size"),
            ({"size": [40, 10**9]}, "pixels"),
            ({"size": [40, 30.5]}, "as size"),
            ({"objects": {}}, "no list objects"),
            ({"objects": [3]}, "object 1 is no JSON object"),
            ({"objects": [{}]}, "no run lengths for object 1"),
            ({"objects": [{"segmentation": {"size": [30, 40], "counts": [1200]}}]}, "as size of object 1"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": [1200]}}]}, "object 1 has no pixel"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": [0, 1201]}}]}, "add up to 1,201"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": [0, -1]}}]}, "as counts of object 1"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": [0, 2**70]}}]}, "as counts of object 1"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": "\n"}}]}, "characters that no encoder writes"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": "oooooooooo0"}}]}, "a count that is too long"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": "é"}}]}, "characters that no encoder writes"),
            ({"objects": [{"segmentation": {"size": [40, 30], "counts": [0, 1200]}, "score": 2}]}, "2 as score"),
            ({"spacing": [1, 0]}, "as spacing"),
            ({"objects": [{}] * 5001}, "5,001 objects"),
        ],
    )
    def test_what_is_refused(self, tmp_path, change, message):
        with pytest.raises(ReadError, match=message):
            self.read(tmp_path, {"size": list(SIZE), "objects": []} | change)

    def test_masks_with_more_pixels_than_allowed_are_refused_before_memory_is_taken(self, tmp_path):
        rows = [{"segmentation": {"size": [2000, 2000], "counts": [0, 4_000_000]}}] * 3
        with pytest.raises(ReadError, match="more pixels than allowed, from object 3 on"):
            self.read(tmp_path, {"size": [2000, 2000], "objects": rows}, limits=Limits(decoded_bytes=9_000_000))

    @pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"size": NaN}'])
    def test_files_that_are_no_such_document_are_refused(self, tmp_path, text):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(ReadError):
            read_masks(tmp_path / "a.json")

    @pytest.mark.parametrize(
        ("spoilt", "words"),
        [
            ({"score": 1.0001}, "1.0001 as score of object 2; expected a number from 0 to 1"),
            ({"class": "tree"}, "tree as class of object 2"),
            ({"segmentation": {"size": [2, 2], "counts": [3]}}, "counts of object 2 that add up to 3"),
            ({"segmentation": {"size": [2, 2], "counts": [4]}}, "object 2 has no pixel"),
        ],
    )
    def test_an_invalid_object_costs_only_itself(self, tmp_path, spoilt, words):
        entry = {"segmentation": {"size": [2, 2], "counts": [1, 3]}, "class": "cell", "score": 0.5}
        document = {"size": [2, 2], "objects": [entry, entry | spoilt, entry]}
        rules = MaskRules(("cell",), need_class=True, need_scores=("ap",))
        masks = self.read(tmp_path, document, rules=rules, by_object=True)
        assert len(masks.objects) == 2
        assert [words in issue.message for issue in masks.dropped] == [True]
        with pytest.raises(ReadError, match="object 2"):
            self.read(tmp_path, document, rules=rules)

    @pytest.mark.parametrize(("score", "fits"), [(-3.5, True), (1e9, True), ("high", False), (True, False)])
    def test_any_finite_number_is_a_score_where_the_task_allows_it(self, tmp_path, score, fits):
        entry = {"segmentation": {"size": [2, 2], "counts": [1, 3]}, "score": score}
        document = {"size": [2, 2], "objects": [entry]}
        masks = self.read(tmp_path, document, rules=MaskRules(any_score=True), by_object=True)
        assert [each.score for each in masks.objects] == ([score] if fits else [])

    @staticmethod
    def text(mask):
        coded = compressed(mask)
        return {"size": list(coded["size"]), "counts": coded["counts"].decode()}

    @staticmethod
    def read(folder, document, **more):
        (folder / "a.json").write_text(json.dumps(document))
        return read_masks(folder / "a.json", **more)


class TestAssessment:
    def document(self, **more):
        base = {"schema": 1, "problem": "instance_segmentation", "regions": [{"name": "cell", "labels": ["cell"]}]}
        return base | {"metrics": [{"id": "fbeta"}], "settings": {"overlap": True}} | more

    def test_it_is_of_its_own_kind_and_read_again(self):
        assessment = parse(self.document())
        assert assessment.problem == "overlapping_instances"
        assert parse(assessment.document).digest == assessment.digest

    def test_label_maps_keep_their_digest(self):
        plain = self.document()
        del plain["settings"]
        assert parse(plain).digest == parse(plain | {"settings": {"overlap": False}}).digest
        assert "settings" not in parse(plain).document

    def test_connected_parts_are_refused(self):
        with pytest.raises(AssessmentError, match="as_submitted"):
            parse(self.document(metrics=[{"id": "panoptic_quality", "options": {"instance_connectivity": "full"}}]))

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ({"class": "tree"}, "tree as class of object 1"),
            ({}, "no class for object 1"),
            ({"class": "a"}, "no score for object 1"),
        ],
    )
    def test_objects_need_what_the_metrics_need(self, tmp_path, entry, message):
        regions = [{"name": name, "labels": [name]} for name in "ab"]
        assessment = parse(self.document(regions=regions, metrics=[{"id": "average_precision"}]))
        coded = {"size": [3, 3], "counts": [0, 9]}
        for folder, more in (("references", {"class": "a"}), ("predictions", entry)):
            (tmp_path / folder).mkdir()
            document = {"size": [3, 3], "objects": [{"segmentation": coded} | more]}
            (tmp_path / folder / "case.json").write_text(json.dumps(document))
        scored = score_folders(assessment, tmp_path / "references", {"a": tmp_path / "predictions"})
        assert [message in found.reason for found in scored.findings["a"]] == [True]
        assert scored.reasons == {}
        # The object counts as not predicted, and the case is not missing.
        assert "missing" not in {row.outcome for row in scored.rows}
