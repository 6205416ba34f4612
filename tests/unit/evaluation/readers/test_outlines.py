"""Masks from polygons of COCO and from GeoJSON of QuPath."""

import json
import sys

import numpy as np
import pytest
from pycocotools import mask as coco_masks

from evaluation.assessment import parse
from evaluation.readers import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.limits import Limits
from evaluation.readers.outlines import MOST_POINTS, Room, mask_of_rings
from evaluation.readers.run_lengths import MaskRules, count_objects, encode, read_masks
from evaluation.scoring import score_folders

SIZE = (40, 30)
GRID = Geometry((30, 40))
CASES = range(24)
SQUARE = [[2, 3], [8, 3], [8, 7], [2, 7], [2, 3]]


def star(random, *, whole=False):
    """Points around a centre, some of them outside the image; star-shaped, so that the outline does not cross itself."""
    angles = np.sort(random.uniform(0, 2 * np.pi, int(random.integers(3, 20))))
    radii = random.uniform(1, 15, len(angles))
    points = random.uniform((0, 0), (SIZE[1], SIZE[0])) + radii[:, None] * np.c_[np.cos(angles), np.sin(angles)]
    return points.round() if whole else points.round(2)


def whole_mask(each, size=SIZE):
    full = np.zeros((size[1], size[0]), dtype=bool)
    full[tuple(slice(start, start + length) for start, length in zip(each.offset, each.part.shape, strict=True))] = (
        each.part
    )
    return full


def feature(rings, kind="Polygon", **properties):
    coordinates = rings if kind == "MultiPolygon" else [np.asarray(ring).tolist() for ring in rings]
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}


def collection(*features, **more):
    return {"type": "FeatureCollection", "features": list(features), **more}


def written(tmp_path, document, name="a.geojson"):
    path = tmp_path / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def inside(x, y, rings):
    """Return whether a point is inside an odd number of rings, by one ray and edge by edge."""
    odd = False
    for ring in rings:
        for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (y1 <= y < y2 or y2 <= y < y1) and x1 + (y - y1) * (x2 - x1) / (y2 - y1) <= x:
                odd = not odd
    return odd


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # of pycocotools.mask.decode
@pytest.mark.parametrize("seed", CASES)
def test_polygons_of_coco_are_those_of_pycocotools(seed, tmp_path):
    random = np.random.default_rng(seed)
    polygons = [star(random).ravel().tolist() for _ in range(1 + seed % 3)]
    theirs = coco_masks.decode(coco_masks.merge(coco_masks.frPyObjects(polygons, *SIZE))).astype(bool).T
    document = {"size": list(SIZE), "objects": [{"segmentation": polygons, "category_id": 3, "score": 0.5}]}
    path = written(tmp_path, document, "a.json")
    if not theirs.any():
        with pytest.raises(ReadError, match="no pixel"):
            read_masks(path)
        return
    (each,) = read_masks(path).objects
    assert np.array_equal(whole_mask(each), theirs)
    assert (each.name, each.score) == ("3", 0.5)


@pytest.mark.parametrize("seed", CASES)
def test_a_pixel_is_inside_if_its_centre_is_inside_an_odd_number_of_rings(seed):
    random = np.random.default_rng(100 + seed)
    rings = [star(random, whole=seed % 2 == 0) for _ in range(1 + seed % 3)]
    mask, start = mask_of_rings(rings, SIZE, "a.geojson", "object 1", Room(10**6))
    full = np.zeros((SIZE[1], SIZE[0]), dtype=bool)
    full[start[0] : start[0] + mask.shape[0], start[1] : start[1] + mask.shape[1]] = mask
    expected = [[inside(x + 0.5, y + 0.5, rings) for y in range(SIZE[0])] for x in range(SIZE[1])]
    assert np.array_equal(full, expected)


def test_an_export_of_qupath_has_classes_scores_holes_and_ignored_regions(tmp_path):
    hole = [[4, 4], [6, 4], [6, 6], [4, 6], [4, 4]]
    parts = [[SQUARE], [[[20, 20], [22, 20], [22, 22], [20, 22], [20, 20]]]]
    tumor = {"classification": {"name": "Tumor", "color": [200, 0, 0]}, "objectType": "annotation"}
    document = collection(
        feature([SQUARE, hole], **tumor, measurements={"Area": 20.0, "Detection probability": 0.75}),
        feature(parts, "MultiPolygon", **tumor, measurements=[{"name": "score", "value": 0.5}]),
        feature([SQUARE], classification={"name": "Ignore*"}),
    )
    objects = read_masks(written(tmp_path, document), expected=GRID).objects
    assert [int(each.part.sum()) for each in objects] == [20, 28, 24]
    assert [(each.name, each.score, each.is_ignored) for each in objects] == [
        ("Tumor", 0.75, False),
        ("Tumor", 0.5, False),
        ("", None, True),
    ]
    assert objects[0].offset == (2, 3)
    single = read_masks(written(tmp_path, document["features"][0]), expected=GRID).objects
    listed = read_masks(written(tmp_path, document["features"]), expected=GRID).objects
    assert np.array_equal(single[0].part, objects[0].part)
    assert len(listed) == 3


def test_derived_classes_and_nested_objects_of_qupath_are_read(tmp_path):
    """An export of QuPath 0.4 in a public repository has both."""
    inner = [[4, 4], [6, 4], [6, 6], [4, 6], [4, 4]]
    child = feature([inner], objectType="detection", classification={"name": "Cell"})
    child["geometry"]["plane"] = {"c": -1, "z": 0, "t": 0}
    outer = feature(
        [SQUARE], classification={"names": ["Tumor", "Positive"], "color": [200, 0, 0]}, childObjects=[child]
    )
    objects = read_masks(written(tmp_path, collection(outer)), expected=GRID).objects
    assert [(each.name, int(each.part.sum())) for each in objects] == [("Tumor: Positive", 24), ("Cell", 4)]
    assert count_objects(written(tmp_path, collection(outer))) == 2


def test_a_reference_needs_its_size(tmp_path):
    document = collection(feature([SQUARE]))
    with pytest.raises(ReadError, match="as size; expected height, width"):
        read_masks(written(tmp_path, document))
    assert read_masks(written(tmp_path, {**document, "size": [40, 30]})).geometry.shape == (30, 40)
    with pytest.raises(ReadError, match="10 × 40 pixels"):
        read_masks(written(tmp_path, {**document, "size": [40, 10]}), expected=GRID)


def test_outlines_score_like_the_masks_that_they_enclose(tmp_path):
    random = np.random.default_rng(7)
    for side in ("references", "predictions"):
        (tmp_path / side / "outlines").mkdir(parents=True)
        (tmp_path / side / "masks").mkdir()
        for case in ("a", "b"):
            stars = [star(random, whole=True) for _ in range(4)]
            stars = [[[10, 10], [20, 12], [15, 30]], *([*ring.tolist(), [15, 20]] for ring in stars)]
            document = collection(*(feature([ring]) for ring in stars), size=list(SIZE))
            path = written(tmp_path / side / "outlines", document, f"{case}.geojson")
            objects = [{"segmentation": encode(whole_mask(each))} for each in read_masks(path).objects]
            written(tmp_path / side / "masks", {"size": list(SIZE), "objects": objects}, f"{case}.json")
    assessment = parse(
        {
            "schema": 1,
            "problem": "instance_segmentation",
            "settings": {"overlap": True},
            "regions": [{"name": "cell", "labels": ["cell"]}],
            "metrics": [{"id": "panoptic_quality"}],
        }
    )
    values = [
        [
            row.value
            for row in score_folders(
                assessment, tmp_path / "references" / one, {"a": tmp_path / "predictions" / other}
            ).rows
        ]
        for one, other in (("masks", "masks"), ("outlines", "outlines"), ("masks", "outlines"), ("outlines", "masks"))
    ]
    assert values[0] == values[1] == values[2] == values[3]
    assert min(values[0]) > 0


def test_an_ignored_region_of_a_reference_counts_for_no_team_in_any_region(tmp_path):
    cell = {"classification": {"name": "cell"}}
    other = [[20, 20], [26, 20], [26, 26], [20, 26]]
    for folder, properties in (("references", {"classification": {"name": "Ignore*"}}), ("predictions", cell)):
        (tmp_path / folder).mkdir()
        document = collection(feature([SQUARE], **cell), feature([other], **properties), size=list(SIZE))
        written(tmp_path / folder, document)
    assessment = parse(
        {
            "schema": 1,
            "problem": "instance_segmentation",
            "settings": {"overlap": True},
            "regions": [{"name": name, "labels": [name]} for name in ("cell", "nucleus")],
            "metrics": [{"id": "panoptic_quality"}],
        }
    )
    rows = score_folders(assessment, tmp_path / "references", {"a": tmp_path / "predictions"}).rows
    assert [row.value for row in rows if row.region == "cell"] == [1.0]


@pytest.mark.parametrize("more", [{"ignore": 1}, {"iscrowd": 1}])
def test_a_prediction_has_no_ignored_regions(more, tmp_path):
    good = {"segmentation": [[2, 3, 8, 3, 8, 7, 2, 7]], "class": "cell", "score": 0.5}
    path = written(tmp_path, {"size": list(SIZE), "objects": [good, {**good, **more}]}, "a.json")
    rules = {"classes": ["cell"], "need_class": True, "need_scores": ["AP"]}
    read = read_masks(path, rules=MaskRules.of(rules, are_predictions=True), by_object=True)
    assert len(read.objects) == 1
    assert "object 2 is an ignored region; expected ignored regions only in references" in read.dropped[0].message
    assert len(read_masks(path, rules=MaskRules.of(rules, are_predictions=False)).objects) == 2


def test_a_file_of_another_format_is_refused_and_not_read_as_empty(tmp_path):
    listed = [{"image_id": 1, "category_id": 1, "segmentation": {"size": [4, 4], "counts": [0, 16]}, "score": 0.9}]
    with pytest.raises(ReadError, match="a list whose entries are no features"):
        read_masks(written(tmp_path, listed), expected=GRID, by_object=True)
    micrometres = collection(*(feature([np.array(SQUARE) + 5000]) for _ in range(3)))
    with pytest.raises(ReadError, match="object 1 is outside the image"):
        read_masks(written(tmp_path, micrometres), expected=GRID, by_object=True)


def test_polygons_without_their_library_are_refused_and_not_read_as_empty(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pycocotools.mask", None)
    path = written(tmp_path, {"size": list(SIZE), "objects": [{"segmentation": [[2, 3, 8, 3, 8, 7]]}]}, "a.json")
    with pytest.raises(
        ReadError, match=r"the package pycocotools\.mask, which reads polygons of COCO, is not installed"
    ):
        read_masks(path, by_object=True)


def test_objects_are_counted_without_the_grid(tmp_path):
    assert count_objects(written(tmp_path, collection(feature([SQUARE]), feature([SQUARE])))) == 2
    assert count_objects(written(tmp_path, {"size": list(SIZE), "objects": [{}]}, "a.json")) == 1
    with pytest.raises(ReadError, match="no list objects"):
        count_objects(written(tmp_path, {"size": list(SIZE)}, "a.json"))


def test_refused_objects_take_room_too(tmp_path):
    across = [[0, 0], [30, 40], [0, 0]]
    features = [feature([[[100, 100], [101, 100], [101, 101]], across]) for _ in range(50)]
    with pytest.raises(ReadError, match="more pixels than allowed, from object"):
        read_masks(
            written(tmp_path, collection(*features)), expected=GRID, by_object=True, limits=Limits(decoded_bytes=50_000)
        )


DEEP = "[" * 100_000 + "]" * 100_000
HOSTILE = {
    "no JSON": "{",
    "nested too deeply": f'{{"type": "FeatureCollection", "features": {DEEP}}}',
    "no features": {"type": "FeatureCollection"},
    "features that are text": {"type": "FeatureCollection", "features": "all"},
    "a feature that is a number": collection(1),
    "no geometry": collection({"type": "Feature"}),
    "a geometry of text": collection({"type": "Feature", "geometry": "Polygon"}),
    "points": collection(feature([[1, 2]], "Point")),
    "lines": collection(feature([[1, 2], [3, 4]], "LineString")),
    "coordinates of text": collection({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": "1 2 3"}}),
    "no rings": collection(feature([])),
    "two points": collection(feature([[[1, 2], [3, 4]]])),
    "ragged rings": collection(
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[1, 2], [3], [4, 5]]]}}
    ),
    "not a number": '{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[NaN,1],[2,3],[4,5]]]}}',
    "infinite": '{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[Infinity,1],[2,3],[4,5]]]}}',
    "huge numbers": collection(feature([[[1e300, 1], [2, 3], [4, 5]]])),
    "numbers beyond doubles": '{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1'
    + "0" * 400
    + ",1],[2,3],[4,5]]]}}",
    "outside the image": collection(feature([[[100, 100], [110, 100], [110, 110]]])),
    "no pixel": collection(feature([[[1.1, 1.1], [1.2, 1.1], [1.2, 1.2]]])),
    "too many points": collection(feature([[[1, 2]] * (MOST_POINTS + 1)])),
    "too many crossed rows": collection(feature([[[0, 0], [1, 40]] * (MOST_POINTS // 3)])),
    "text among numbers": collection(feature([[["a", 1], [2, 3], [4, 5]]])),
    "mappings among numbers": collection(feature([[{"x": 1}, {"x": 2}, {"x": 3}]])),
    "a score of text": collection(feature([SQUARE], score="high")),
    "a score beyond doubles": collection(feature([SQUARE], score=10**400)),
    "a spacing beyond doubles": collection(feature([SQUARE]), size=[40, 30], spacing=[10**400, 1]),
    "a list of other entries": [1, 2],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_export_is_refused(name, tmp_path):
    with pytest.raises(ReadError) as raised:
        read_masks(written(tmp_path, HOSTILE[name]), expected=GRID, limits=Limits(decoded_bytes=100_000))
    assert raised.value.message.startswith("a.geojson: ")


POLYGONS = {
    "no polygon": [],
    "no point": [[]],
    "two points": [[1, 2, 3, 4]],
    "an odd number of coordinates": [[1, 2, 3, 4, 5]],
    "text": [["a"] * 6],
    "nothing among numbers": [[1, 2, 3, 4, 5, None]],
    "huge numbers": [[1e9, 2, 3, 4, 5, 6]],
    "an outline that is too large": [[0, 0, 1e6, 1e6] * 1000],
    "a list that is too large": [[1, 2] * (2 * MOST_POINTS)],
    "too large in points": [[1, 2] * (MOST_POINTS + 1)],
    "no pixel": [[1.01, 1.01, 1.02, 1.01, 1.02, 1.02]],
}


@pytest.mark.parametrize("name", POLYGONS)
def test_a_hostile_polygon_is_refused_and_the_other_objects_count(name, tmp_path):
    good = {"segmentation": [[2, 3, 8, 3, 8, 7, 2, 7]]}
    path = written(tmp_path, {"size": list(SIZE), "objects": [{"segmentation": POLYGONS[name]}, good]}, "a.json")
    limits = Limits(decoded_bytes=1_000_000)
    with pytest.raises(ReadError):
        read_masks(path, limits=limits)
    if "too large" in name:  # such a file is refused as a whole
        with pytest.raises(ReadError, match="object 1"):
            read_masks(path, by_object=True, limits=limits)
        return
    read = read_masks(path, by_object=True, limits=limits)
    assert [int(each.part.sum()) for each in read.objects] == [24]
    assert "object 1" in read.dropped[0].message


def test_outlines_of_a_volume_are_refused(tmp_path):
    with pytest.raises(ReadError, match="run lengths, since the image is a volume"):
        read_masks(written(tmp_path, collection(feature([SQUARE]))), expected=Geometry((30, 40, 5)))


def test_a_class_that_the_task_does_not_have_is_refused(tmp_path):
    path = written(tmp_path, collection(feature([SQUARE], classification={"name": "Stroma"})))
    with pytest.raises(ReadError, match="Stroma as class of object 1; expected Tumor"):
        read_masks(path, expected=GRID, rules=MaskRules(("Tumor",)))
