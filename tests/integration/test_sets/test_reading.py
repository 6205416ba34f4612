"""Preview of an archive for its owner before sealing: cases, classes with counts, characteristics, pictures."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from challenges.models import Phase
from datastore.test_sets.models import TestSet
from datastore.test_sets.services.reading import Reading, read_archive
from datastore.test_sets.services.sealing import TestSetError
from evaluation import problems
from evaluation.problems.tables import TableProblem
from tests.integration.submissions.test_tables import CASES, OBJECTS, add_phase, coco_references
from tests.integration.submissions.world import World, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "The preview is computed from files of the archive. `test_archives.py` seals archives on both databases."
    ),
]

RANKING = {"uncertainty": {"bootstrap": 0, "seed": 1}}
KINDS = (
    "image_classification",
    "semantic_segmentation",
    "object_detection",
    "instance_segmentation",
    "landmarks",
    "image_to_image",
    "multilabel_classification",
    "regression",
    "survival",
)
NUMBER = 4
IMAGES = ("scan-1", "scan-2", "scan-3", "scan-4")
LABELS = {
    "problem": "image_classification",
    "metrics": [{"id": "accuracy"}],
    "ranking": {"scheme": "one_score"},
} | RANKING


def read(world: World, folder: Path, files: dict[str, bytes]) -> Reading:
    path = folder / "references.zip"
    path.write_bytes(zipped(files))
    found = read_archive(phase=world.phase, path=path)
    assert not TestSet.objects.filter(phase=world.phase).exists()  # nothing is sealed
    return found


def table(*rows: tuple[object, ...]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def png(size: int = 40) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.arange(size * size, dtype=np.uint8).reshape(size, size)).save(buffer, "PNG")
    return buffer.getvalue()


def test_ids_that_participants_will_see_are_announced(world: World, tmp_path: Path):
    world.phase = add_phase(world, "coco", OBJECTS)
    files = {"references/objects.json": (coco_references(tmp_path / "coco") / "objects.json").read_bytes()}
    assert read(world, tmp_path, files | {"cases.csv": table(("case",), (CASES[0],), (CASES[1],))}).shows_ids
    named = {
        "references/objects.csv": table(
            ("case", "class", "x_min", "y_min", "x_max", "y_max"), (CASES[0], "cell", 1, 1, 5, 5)
        )
    }
    assert not read(world, tmp_path, named | {"cases.csv": table(("case",), (CASES[0],))}).shows_ids
    Phase.objects.filter(pk=world.phase.pk).update(
        results=Phase.Results.VALIDATION, leaderboard=Phase.Leaderboard.SEALED
    )
    world.phase.refresh_from_db()
    decoys = table(("case", "decoy"), (CASES[0], ""), (CASES[1], "yes"))
    assert not read(world, tmp_path, files | {"cases.csv": decoys}).shows_ids


def counts(reading: Reading) -> dict[str, tuple[int, int]]:
    return {entry.name: (entry.cases, entry.count) for entry in reading.classes}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_shows_the_cases_of_its_example_and_counts_no_class_more_often(world: World, tmp_path, name):
    folder = tmp_path / "example"
    kind = problems.get(name)
    world.phase = add_phase(
        world,
        "other",
        {"ranking": {"scheme": "one_score"}} | kind.samples.write_challenge(folder, cases=NUMBER) | RANKING,
    )
    files = {
        f"references/{path.relative_to(folder / 'references').as_posix()}": path.read_bytes()
        for path in sorted((folder / "references").rglob("*"))
        if path.is_file()
    }
    own = files.pop("references/cases.csv", b"")
    if isinstance(kind, TableProblem):
        names = kind.read_references(kind.find_table(folder / "references", kind.references.tables)).cases
        files["cases.csv"] = own or table(("case",), *[(case,) for case in names])
    found = read(world, tmp_path, files)
    assert (found.decoys, found.names) == (0, sorted(found.names))
    assert found.scored >= NUMBER
    assert all(0 <= entry.cases <= found.scored for entry in found.classes)
    assert all(entry.count >= entry.cases for entry in found.classes)
    assert all(picture.startswith(b"\x89PNG") for _, picture in found.previews)
    expected = name in ("semantic_segmentation", "instance_segmentation", "landmarks", "image_to_image")
    assert bool(found.previews) == (expected and name != "landmarks")


def test_classes_of_a_table_are_counted_and_each_has_a_picture_where_there_are_images(world: World, tmp_path):
    document = LABELS | {"regions": [{"name": name, "labels": [name]} for name in ("benign", "malignant", "unclear")]}
    world.phase = add_phase(world, "images", document)
    labels = ("benign", "malignant", "benign", "benign")
    files = {
        "references/labels.csv": table(("case", "label"), *zip(IMAGES, labels, strict=True)),
        "cases.csv": table(("case", "site", "age"), *[(case, "a", 40 + i) for i, case in enumerate(IMAGES)]),
    }
    files |= {f"images/{case}.png": png() for case in IMAGES}
    found = read(world, tmp_path, files)
    # A registered class that occurs in no case is shown with 0.
    assert counts(found) == {"benign": (3, 3), "malignant": (1, 1), "unclear": (0, 0)}
    assert [(own.name, own.kind, own.different) for own in found.characteristics] == [
        ("site", "names", 1),
        ("age", "whole numbers", 4),
    ]
    assert [case for case, _ in found.previews] == ["scan-1", "scan-2"]
    assert all(picture.startswith(b"\x89PNG") for _, picture in found.previews)


def test_objects_are_counted_and_drawn_on_the_image_of_their_case(world: World, tmp_path):
    document = {
        "problem": "object_detection",
        "regions": [{"name": "cyst", "labels": ["cyst"]}, {"name": "stone", "labels": ["stone"]}],
        "metrics": [{"id": "fbeta", "options": {"scale": "image"}}],
        "ranking": {
            "scheme": "aggregate_then_rank",
            "combine": {"over": ["region"], "operator": "mean", "rerank": True},
        },
    } | RANKING
    world.phase = add_phase(world, "objects", document)
    rows = [("scan-1", "cyst", 1, 1, 9, 9), ("scan-1", "cyst", 11, 11, 19, 19), ("scan-3", "stone", 2, 2, 8, 8)]
    files = {
        "references/objects.csv": table(("case", "class", "x_min", "y_min", "x_max", "y_max"), *rows),
        "cases.csv": table(("case",), *[(case,) for case in IMAGES]),
    }
    files |= {f"images/{case}.png": png() for case in IMAGES}
    found = read(world, tmp_path, files)
    assert (found.counted, counts(found)) == ("objects", {"cyst": (1, 2), "stone": (1, 1)})
    assert [case for case, _ in found.previews] == ["scan-1", "scan-3"]


def test_a_class_that_is_not_registered_is_refused_before_anything_is_sealed(world: World, tmp_path):
    document = LABELS | {"regions": [{"name": name, "labels": [name]} for name in ("benign", "malignant")]}
    world.phase = add_phase(world, "images", document)
    labels = ("benign", "malignant", "benign", "secret")
    files = {
        "references/labels.csv": table(("case", "label"), *zip(IMAGES, labels, strict=True)),
        "cases.csv": table(("case",), *[(case,) for case in IMAGES]),
    }
    with pytest.raises(TestSetError, match=r"scan-4.*secret|secret.*scan-4"):
        read(world, tmp_path, files)
    assert not TestSet.objects.filter(phase=world.phase).exists()
