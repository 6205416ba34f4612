"""The template of a test set has the files and columns that sealing expects; filled, it is accepted for every kind."""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from challenges.services import create_phase
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError
from datastore.test_sets.services.templates import template_of
from evaluation import problems
from evaluation.assessment import parse
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from tests.integration.submissions.world import ASSESSMENT, World

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Kinds of problem differ in files. `test_archives.py` seals archives on both databases."),
]
KINDS = [kind for kind in problems.scored_problems() if kind.source == "podium"]


def phase_of(world: World, assessment):
    first = world.phase
    return create_phase(
        actor=None,
        task=first.task,
        assessment=assessment,
        slug="second",
        name="Second",
        opens_at=first.opens_at,
        closes_at=first.closes_at,
    )


def unpacked(phase) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(template_of(phase))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode())))


def text_of(rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def filled(template: dict[str, bytes], references: Path, cases: list[str]) -> dict[str, bytes]:
    """Fill every table below its template header and add the files of the references."""
    files = {name: content for name, content in template.items() if not name.endswith("/")}
    for path in sorted(references.rglob("*")):
        name = f"references/{path.relative_to(references).as_posix()}"
        if path.is_dir() or path.name == "cases.csv":
            continue
        if name not in template:
            assert path.suffix != ".csv" or path.parent != references, f"the template lacks {name}"
            files[name] = path.read_bytes()
            continue
        head, *rows = rows_of(path.read_bytes())
        expected = rows_of(template[name])[0]
        assert sorted(head) == sorted(expected)
        files[name] = text_of([expected, *([row[head.index(column)] for column in expected] for row in rows)])
    columns = rows_of(template["cases.csv"])[0]
    files["cases.csv"] = text_of([columns, *([case, *("a" for _ in columns[1:])] for case in cases)])
    return files


def cases_of(references: Path) -> list[str]:
    """The cases of an example, by the names of its files or by its tables."""
    named = {path.name.split(".")[0] for path in references.iterdir() if path.suffix != ".csv" and path.name != "masks"}
    if named:
        return sorted(named)
    tables = [rows_of(path.read_bytes())[1:] for path in references.glob("*.csv")]
    return sorted({row[0] for rows in tables for row in rows})


def packed(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "filled.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_a_filled_template_is_sealed(world: World, tmp_path, kind):
    document = kind.samples.write_challenge(tmp_path / "example")
    references = tmp_path / "example" / "references"
    document |= {"aggregation": {"levels": ["case", {"name": "clinic", "role": "random"}], "operator": "mean"}}
    phase = phase_of(world, document)
    template = unpacked(phase)
    assert {"README.txt", "cases.csv", "references/"} <= template.keys()
    assert rows_of(template["cases.csv"])[0][:2] == ["case", "clinic"]
    text = template["README.txt"].decode()
    for name, content in template.items():
        if name.startswith("references/") and name != "references/":
            assert f"Fill {name}. Its columns are {', '.join(rows_of(content)[0])}." in text
    problem = kind_of(parse(document))
    assert not isinstance(problem, FileProblem) or problem.suffixes[0] in text
    cases = cases_of(references)
    path = packed(tmp_path, filled(template, references, cases))
    sealed = take_archive(phase=phase, path=path, actor=world.organizer)
    assert list(sealed.cases.order_by("position").values_list("name", flat=True)) == cases
    assert set(sealed.cases.values_list("metadata", flat=True)[0]) == {"clinic"}


def test_a_template_that_is_not_filled_is_refused_by_name(world: World, tmp_path):
    phase = phase_of(world, {**ASSESSMENT, "aggregation": {"levels": ["case", "site"], "operator": "mean"}})
    with pytest.raises(TestSetError, match=r"case-1 has no reference"):
        take_archive(phase=phase, path=packed(tmp_path, unpacked(phase)), actor=world.organizer)


def test_classes_of_objects_get_a_table_beside_label_images(world: World):
    regions = [{"name": "cell", "labels": ["cell"]}, {"name": "nucleus", "labels": ["nucleus"]}]
    document = {
        "schema": 1,
        "problem": "instance_segmentation",
        "regions": regions,
        "metrics": [{"id": "panoptic_quality"}],
    }
    template = unpacked(phase_of(world, document))
    assert rows_of(template["references/instances.csv"])[0] == ["case", "instance", "class"]


def test_pixel_sizes_of_cases_have_columns(world: World):
    metric = {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5}
    document = {
        "schema": 1,
        "problem": "object_detection",
        "settings": {"unit": "px", "spacing": "cases"},
        "regions": [{"name": "mitosis", "labels": ["mitosis"]}],
        "metrics": [{"id": "fbeta", "options": metric}],
    }
    template = unpacked(phase_of(world, document))
    assert rows_of(template["cases.csv"])[0] == ["case", "spacing_x", "spacing_y"]
    assert rows_of(template["references/objects.csv"])[0] == ["case", "class", "x", "y"]


def test_organizers_download_it_from_the_page(client, world: World):
    phase = phase_of(world, ASSESSMENT)
    address = f"/challenges/blocks/organize/test-sets/{phase.pk}/template.zip"
    client.force_login(world.organizer)
    assert address in client.get(f"/challenges/blocks/organize/test-sets/?phase={phase.pk}").content.decode()
    answer = client.get(address)
    assert answer["Content-Type"] == "application/zip"
    assert zipfile.ZipFile(io.BytesIO(answer.content)).testzip() is None
    client.force_login(world.ada)
    assert client.get(address).status_code == 404
