"""Instance segmentation on the platform: label maps of objects, scored as the command line scores them."""

import io
import json
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tifffile
from django.test import Client
from django.utils import timezone
from PIL import Image

from challenges.models import Phase
from challenges.services import create_phase
from datastore.test_sets import vault
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError, create_test_set
from evaluation.cli import main
from evaluation.scoring import read_results
from executions.scoring.domain.report import Report
from submissions.models import Submission
from submissions.queries import results_frame
from submissions.results.queries.comparison import history_figures
from submissions.results.queries.pictures import picture_name
from submissions.results.services.pictures import draw
from submissions.services import states
from tests.integration.submissions.world import World, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Kinds of problem differ in files and values, not in rows."),
]

CASES = ("cell_1", "cell_2", "cell_3")
ASSESSMENT = {
    "schema": 1,
    "problem": "instance_segmentation",
    "regions": [{"name": "nucleus", "labels": ["nucleus"]}],
    "metrics": [
        {"id": "panoptic_quality", "options": {"scale": "image"}},
        {
            "id": "fbeta",
            "name": "detection_f1",
            "options": {"scale": "image", "localization_criterion": "loc_mask_iou", "assignment": "criterion_gt_half"},
        },
        {"id": "iou", "name": "outline_iou"},
        {"id": "hausdorff_distance", "name": "outline_distance"},
        {"id": "panoptic_quality", "name": "pooled"},
    ],
    "aggregation": {"levels": ["case", "modality"], "operator": "mean"},
    "ranking": {
        "scheme": "aggregate_then_rank",
        "operator": "mean",
        "combine": {"over": ["metric"], "operator": "mean", "rerank": True},
    },
    "uncertainty": {"bootstrap": 20, "seed": 1},
}
METADATA = pd.DataFrame({"case": list(CASES), "modality": ["bright", "bright", "dark"]})


def cells(shift: int = 0, *, first: int = 1000, shape: tuple[int, int] = (30, 40)) -> np.ndarray:
    """Three objects with numbers beyond 8 bits, moved along the rows; the last one is small."""
    labels = np.zeros(shape, dtype=np.uint16)
    for number, (row, column, size) in enumerate([(2, 3, 8), (12, 20, 9), (23, 5, 3)]):
        labels[row + shift : row + shift + size, column : column + size] = first + number
    return labels


def png(labels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(labels).save(buffer, "PNG")
    return buffer.getvalue()


def tiff(labels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, labels)
    return buffer.getvalue()


@pytest.fixture
def nuclei(world: World, tmp_path: Path) -> World:
    """The world with a phase of three images of cells, each with a colour picture."""
    world.phase = add_phase(world, ASSESSMENT)
    references, images = tmp_path / "cells", tmp_path / "pictures"
    references.mkdir()
    images.mkdir()
    for case in CASES:
        (references / f"{case}.png").write_bytes(png(cells()))
        picture = Image.new("RGB", (40, 30), (250, 220, 240))
        picture.paste((60, 10, 80), (0, 0, 20, 30))
        picture.save(images / f"{case}.jpg")
    world.test_set = create_test_set(
        phase=world.phase, references=references, images=images, cases=CASES, metadata=METADATA
    )
    return world


def add_phase(world: World, assessment: dict) -> Phase:
    now = timezone.now()
    return create_phase(
        actor=world.organizer,
        task=world.phase.task,
        assessment=assessment,
        slug="cells",
        name="Cells",
        position=2,
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        results=Phase.Results.CASES,
        leaderboard=Phase.Leaderboard.PUBLIC,
    )


def scored(world: World, files: dict[str, bytes]) -> Submission:
    submission = world.upload(zipped(files), accept_incomplete=True)
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
    return submission


def by_command_line(tmp_path: Path, files: dict[str, bytes], document: dict = ASSESSMENT) -> pd.DataFrame:
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    assessment = tmp_path / "assessment.json"
    assessment.write_text(json.dumps(document))
    table = tmp_path / "results.csv"
    arguments = ["score", str(assessment), "--references", str(tmp_path / "cells"), "--predictions", str(folder)]
    assert main([*arguments, "--output", str(table)]) == 0
    return read_results(table)


def test_rows_are_those_of_the_command_line(nuclei: World, workers, tmp_path):
    files = {
        "cell_1.png": png(cells(1, first=3)),
        "cell_2.tif": tiff(cells(3)),
        "cell_3.png": png(np.zeros((30, 40), np.uint16)),
    }
    run = scored(nuclei, files).runs.get()
    columns = ["case", "region", "metric", "value", "outcome", "image_diagonal"]
    order = ["case", "region", "metric"]
    ours = results_frame(run)[columns].sort_values(order, ignore_index=True)
    theirs = by_command_line(tmp_path, files)[columns].sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, check_exact=True)
    f1 = ours[ours["metric"] == "detection_f1"].set_index("case")
    assert f1.loc["cell_1", "value"] == pytest.approx(2 / 3)  # the small one overlaps by exactly a half: no hit
    assert f1.loc["cell_3", "outcome"] == "pred_empty"


def test_an_image_that_is_absent_or_of_another_size_is_missing_in_every_metric(nuclei: World, workers):
    files = {"cell_1.png": png(cells()), "cell_2.png": png(cells(shape=(30, 41)))}
    frame = results_frame(scored(nuclei, files).runs.get())
    assert set(frame[frame["case"] == "cell_1"]["outcome"]) == {"ok"}
    gone = frame[frame["case"] != "cell_1"]  # and with them the value that is pooled over all cases
    assert len(gone) == 2 * 4 + 1
    assert set(gone["outcome"]) == {"missing"}


def test_summaries_average_along_the_levels_of_the_assessment(nuclei: World, workers):
    files = {"cell_1.png": png(cells()), "cell_2.png": png(cells()), "cell_3.png": png(np.zeros((30, 40), np.uint16))}
    summary = scored(nuclei, files).runs.get().summary
    found = {value["metric"]: value["value"] for value in summary["values"]}
    assert found["panoptic_quality"] == pytest.approx((1 + 0) / 2)


def test_pictures_of_cases_have_one_panel_over_the_colour_image(nuclei: World, workers):
    run = scored(nuclei, {f"{case}.png": png(cells(1 + number)) for number, case in enumerate(CASES)}).runs.get()
    draw(run_id=run.pk, case="cell_1")
    for with_reference in (False, True):
        name = picture_name(run, "cell_1", with_reference=with_reference)
        with vault.opened(name) as path, Image.open(path, formats=["PNG"]) as picture:
            assert picture.width > picture.height > 100
            assert picture.getpixel((picture.width - 10, 10))[0] > 200  # the bright half of the image


def test_a_test_set_needs_the_characteristic_that_the_ranking_groups_cases_by(nuclei: World, tmp_path):
    incomplete = METADATA.assign(modality=["bright", None, "dark"])
    for table in (incomplete, METADATA[["case"]], None):
        with pytest.raises(TestSetError, match=r"characteristic modality of every case; cell_[12] has none"):
            create_test_set(phase=nuclei.phase, references=tmp_path / "cells", cases=CASES, metadata=table)


CLASSED = ASSESSMENT | {
    "regions": [{"name": name, "labels": [name]} for name in ("round", "square")],
    "metrics": [
        {"id": "panoptic_quality", "options": {"scale": "image"}},
        {"id": "average_precision", "name": "curve", "options": {"localization_criterion": "loc_mask_iou"}},
        {"id": "mean_average_precision", "options": {"localization_criterion": "loc_mask_iou"}},
    ],
    "aggregation": {"levels": ["case"], "operator": "mean"},
    "ranking": {"scheme": "aggregate_then_rank", "combine": None},
}
KINDS = ("round", "square", "round")


def instances(*, first: int = 1000, scored: bool = True, cases: tuple[str, ...] = CASES) -> bytes:
    """Class, and for predictions score, of the three objects of each case."""
    rows = [
        f"{case},{first + number},{kind},{0.9 - 0.1 * place - 0.03 * number if scored else ''}"
        for place, case in enumerate(cases)
        for number, kind in enumerate(KINDS)
    ]
    return "\n".join(["case,instance,class,score", *rows, ""]).encode()


@pytest.fixture
def classed(world: World, tmp_path: Path) -> World:
    """The world with a phase whose objects have classes, sealed from an archive of the organizers."""
    world.phase = add_phase(world, CLASSED)
    files = {f"references/{case}.png": png(cells()) for case in CASES}
    (tmp_path / "sealed.zip").write_bytes(zipped({**files, "references/instances.csv": instances(scored=False)}))
    world.test_set = take_archive(phase=world.phase, path=tmp_path / "sealed.zip", actor=world.organizer)
    (tmp_path / "cells").mkdir()
    for name, content in files.items():
        (tmp_path / "cells" / Path(name).name).write_bytes(content)
    (tmp_path / "cells/instances.csv").write_bytes(instances(scored=False))
    return world


def test_class_and_score_of_each_object_are_read_from_the_table_beside_the_label_maps(classed, workers, tmp_path):
    files = {f"{case}.png": png(cells(place, first=5)) for place, case in enumerate(CASES)}
    files["instances.csv"] = instances(first=5)
    run = scored(classed, {f"folder/{name}": content for name, content in files.items()}).runs.get()
    columns, order = ["case", "region", "metric", "value", "outcome"], ["case", "region", "metric"]
    ours = results_frame(run)[columns].sort_values(order, ignore_index=True)
    theirs = by_command_line(tmp_path, files, CLASSED)[columns].sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, check_exact=True)
    values = ours[ours["case"] == ""].set_index(["metric", "region"])["value"]
    assert values["curve", "square"] > values["curve", "round"] > 0
    # The names of the classes are known to everybody, which object has which is sealed.
    entry = classed.test_set.cases.get(name="cell_1")
    assert classed.test_set.shared["instances"].endswith(".csv.age")
    assert entry.reference_sha256 != sha256(png(cells())).hexdigest()


class Platform:
    """The REST interface as the client asks for it, signed in as a participant."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def get(self, address: str) -> dict:
        return self.client.get(f"/api/v1/{address}").json()


def test_what_is_wrong_with_the_table_is_named_with_case_value_and_remedy(classed, workers, client, tmp_path):
    from podium_client.validating import validate

    files = {f"{case}.png": png(cells()) for case in CASES}
    rows = instances().decode().replace("cell_1,1000,round", "cell_1,1000,oval").replace("cell_2,1001", "cell_2,7")
    refused = classed.upload(zipped(files))
    refused.refresh_from_db()
    assert refused.state == Submission.State.REFUSED
    assert refused.reason.startswith(
        "There is no instances.csv in the archive. It tells the class of each object and the "
    )
    table = {"instances.csv": (rows + "cell_9,1,round,1\n").encode()}
    held = classed.upload(zipped(files | table), accept_incomplete=True)
    held.refresh_from_db()
    report = Report.of(held.report)
    assert held.state == Submission.State.HELD
    first = "instances.csv: case cell_1: 'oval' as class in row 2; expected one of round, square"
    assert report.troubled == []
    assert {case: finding.message for case, finding in report.findings.items() if finding.message} == {
        "cell_1": f"1 of 3 not used: {first}",
        "cell_2": "2 of 4 not used: instances.csv: case cell_2: the instance 7 has no pixel in cell_2.png",
    }
    [question] = [question for question in report.asked if question.id == "parts_not_used"]
    assert question.reason == f"3 of 7 objects or rows are not used; the first is {first}"
    assert [extra.file for extra in report.extra] == ["instances.csv: case cell_9"]
    states.score_as_it_is(submission=held, actor=classed.ada)
    # Each row costs its object: no case is missing, and no value of all cases together.
    frame = results_frame(held.runs.get())
    assert "missing" not in set(frame["outcome"])
    lost = frame[(frame["metric"] == "curve") & (frame["case"] == "")].set_index("region")["value"]
    assert 0.5 < lost["round"] < 1
    assert 0.5 < lost["square"] < 1
    # The client says the same before anything is uploaded, and the page what is needed.
    client.force_login(classed.ada)
    (tmp_path / "mine.zip").write_bytes(zipped(files | table))
    asked = {"challenge": "blocks", "phase": classed.phase.pk, "path": tmp_path / "mine.zip"}
    outcome = validate(Platform(client), **asked)
    assert outcome.findings == []
    assert [found.sentence for found in outcome.questions] == [asked.sentence for asked in report.asked]
    assert outcome.extra == ["instances.csv: case cell_9: no case of this name; ignored"]
    (tmp_path / "mine.zip").write_bytes(zipped(files))
    with pytest.raises(Exception, match=r"no instances\.csv\. It tells the class of each object and the score"):
        validate(Platform(client), **asked)
    page = client.get(f"/challenges/blocks/submit/?phase={classed.phase.pk}").content.decode()
    assert "states the class of each object and the score of each object, which curve, " in page


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (None, "instances.csv: is missing. With 2 regions"),
        (instances(scored=False, cases=CASES[:2]), "case cell_3: no row for the instance 1000 of cell_3.png"),
        (
            instances(scored=False).replace(b"square", b"oval"),
            "'oval' as class in row 3; expected one of round, square",
        ),
    ],
)
def test_references_need_the_class_of_each_object_where_there_are_several(world, tmp_path, table, message):
    phase = add_phase(world, CLASSED)
    files = {f"references/{case}.png": png(cells()) for case in CASES}
    (tmp_path / "all.zip").write_bytes(zipped(files | ({"references/instances.csv": table} if table else {})))
    with pytest.raises(TestSetError, match=message):
        take_archive(phase=phase, path=tmp_path / "all.zip", actor=world.organizer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problem": "image_classification", "metrics": [{"id": "accuracy"}]}, "one table labels.csv"),
    ],
)
def test_what_cannot_be_scored_case_by_case_gets_no_test_set(world: World, tmp_path, change, message):
    phase = add_phase(world, ASSESSMENT | {"aggregation": {"levels": ["case"], "operator": "mean"}} | change)
    with pytest.raises(TestSetError, match=message):
        create_test_set(phase=phase, references=tmp_path / "references", cases=["case_001"])


def test_examples_of_files_are_pictures_where_the_references_are(client, nuclei: World, workers):
    client.force_login(nuclei.ada)
    page = client.get(f"/challenges/blocks/submit/?phase={nuclei.phase.pk}").content.decode()
    assert f"├── {CASES[0]}.png" in page
    lacking = nuclei.upload(zipped({f"{CASES[0]}.png": png(cells())}))
    lacking.refresh_from_db()
    missing = Report.of(lacking.report).findings[CASES[1]]
    assert (missing.kind, missing.remedy) == ("file_missing", f"Add {CASES[1]}.png.")


def test_distances_have_one_unit_on_every_page(client, nuclei: World, workers):
    """Pictures state no spacing: their distances are pixels beside the leaderboard, too."""
    submission = scored(nuclei, {f"{case}.png": png(cells(1 + number)) for number, case in enumerate(CASES)})
    client.force_login(nuclei.ada)
    Phase.objects.filter(pk=nuclei.phase.pk).update(results="cases")
    address = submission.get_absolute_url()
    compared = f"/challenges/blocks/submissions/compare/?before={submission.pk}&after={submission.pk}"
    for page in (address, f"{address}cases/{CASES[0]}/", compared):
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert "(pixels)" in answer.content.decode(), page
        assert "(mm)" not in answer.content.decode(), page
    names = [name for name, _ in history_figures(nuclei.ada, [submission.team])]
    assert "Cells: Outline distance (pixels)" in names
