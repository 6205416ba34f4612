"""Inputs of public bug reports have the same findings and sentences at every entrance: command line, client, REST, pages."""

import json
import zipfile
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from datastore.test_sets.services.sealing import create_test_set
from evaluation.assessment import parse
from evaluation.cli import main as evaluation_main
from evaluation.problems import kind_of
from evaluation.scoring import score_folders
from submissions.models import Submission
from submissions.queries import results_frame
from submissions.services import states
from tests.integration.api.test_submitting import begin, send
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = pytest.mark.django_db(transaction=True)
REPORTS = Path(__file__).parents[2] / "data" / "reports"
State = Submission.State


@dataclass(frozen=True)
class Expected:
    """Assessment of a report, ids of what is found, and the state of the submission."""

    assessment: str
    ids: frozenset[str]
    state: str


def expected(assessment: str, *ids: str, state: str = State.SCORED) -> Expected:
    return Expected(assessment, frozenset(ids), state)


TABLE = {
    # The voxels of all six cases are equal, in the references as well: a question that a team confirms.
    "qform-precision": expected("seg.json", "identical_predictions", "shifted_grid", state=State.HELD),
    "scl-slope-of-nibabel": expected("seg.json"),
    "silent-missing-mgz": expected("seg.json"),
    "silent-missing-monai-folders": expected(
        "seg.json", "file_misnamed", "file_intended", "nothing_found", state=State.REFUSED
    ),
    "slicer-seg-nrrd-name": expected("seg.json"),
    "two-files-one-case": expected("seg.json", "file_duplicate", "nothing_found", state=State.REFUSED),
    "csv-semicolon-decimal-comma": expected("cls.json"),
    "csv-upper-case-header": expected("cls.json"),
    "coco-no-image-matches": expected("det.json"),
    "coco-one-bad-annotation": expected("det.json", "rows_not_used", state=State.HELD),
    "mask-255-as-instances": expected("inst.json", "one_object_in_pieces", state=State.HELD),
    "zip-powershell-backslash": expected("seg.json"),
}
"""Findings and state of each report that is a submission, as its README line states.

The others: `test_analyse.py` (tables of results), `test_command.py` (the same bytes twice) and
`tests/unit/containers/test_images.py` (an image at a relative path).
"""
OTHERS = {"podium-try-relative-path", "table-mean-row", "table-nnunet-summary", "workbooks"}


def test_the_table_names_every_report():
    assert {path.name for path in REPORTS.iterdir() if path.is_dir()} == set(TABLE) | OTHERS


@dataclass
class Case:
    """A report as a phase of the world, with the archive and the folder of its predictions."""

    world: World
    references: Path
    predictions: Path
    sent: Path
    content: bytes
    row: Expected


@pytest.fixture(params=TABLE)
def case(request, world: World, tmp_path: Path) -> Case:
    """A phase with the assessment and the references of a report."""
    row, folder = TABLE[request.param], REPORTS / request.param
    references, predictions = folder / "references", folder / "predictions"
    if request.param == "zip-powershell-backslash":
        # The report has no references; its files with the names that they have on the participant's disk are.
        sent = folder / "predictions.zip"
        references = predictions = tmp_path / "unpacked"
        references.mkdir()
        with zipfile.ZipFile(sent) as file:
            for info in file.infolist():
                (references / info.filename.replace("\\", "/").rpartition("/")[2]).write_bytes(file.read(info))
        content = sent.read_bytes()
    else:
        sent = predictions
        files = sorted(path for path in predictions.rglob("*") if path.is_file())
        content = zipped({path.relative_to(predictions).as_posix(): path.read_bytes() for path in files})
    document = json.loads((REPORTS / row.assessment).read_text())
    assessment = parse(document)
    cases = list(kind_of(assessment).open_references(assessment, references).cases)
    world.phase = add_phase(world, "reports", document)
    world.test_set = create_test_set(phase=world.phase, references=references, cases=cases)
    return Case(world, references, predictions, sent, content, row)


def text_of(client: Client, submission: Submission) -> str:
    """Words of the page of a submission, without marks and line breaks."""
    page = client.get(submission.get_absolute_url(), secure=True)
    assert page.status_code == 200
    return " ".join(unescape(page.content.decode()).split())


def shows(text: str, sentence: str) -> bool:
    """Return whether a page shows reason and remedy, together or in the cells of a table or after the name of a file."""
    plain = text.replace("<code>", "").replace("</code>", "")
    reason, _, remedy = sentence.partition(". ")
    cells = f'{reason}</td><td data-label="Remedy">{remedy}'
    return sentence in plain or cells in plain


def test_all_entrances_show_the_same_findings_and_sentences(podium, case: Case, capsys, tmp_path):
    world, row = case.world, case.row
    code, out, _ = podium("validate", "blocks", "reports", case.sent, "--json")
    checked = json.loads(out)
    assert "findings" in checked, checked
    found = [*checked["findings"], *checked["questions"]]
    whole = {each["sentence"] for each in found}
    ids = {each["id"] for each in found} | (
        {"file_intended"} if any("meant for" in e for e in checked["extra"]) else set()
    )
    assert ids == row.ids
    assert (code, checked["will_be_taken"]) == ((1, False) if row.state == State.REFUSED else (0, True))

    # The client in words.
    _, out, _ = podium("validate", "blocks", "reports", case.sent)
    assert all(sentence in out for sentence in [*whole, *checked["extra"]])

    # The command line, at home with the references.
    arguments = ["score", str(REPORTS / row.assessment), "--references", str(case.references)]
    code = evaluation_main([*arguments, "--predictions", str(case.predictions)])
    errors = capsys.readouterr().err
    is_refused_there = "file_duplicate" not in row.ids and row.state == State.REFUSED
    assert code == (2 if is_refused_there else 0)
    there = whole if is_refused_there else {each["sentence"] for each in found if each["id"] != "nothing_found"}
    assert all(sentence in errors for sentence in [*there, *checked["extra"]])

    # REST: the archive in one piece, with a token.
    headers = {"HTTP_AUTHORIZATION": f"Bearer {podium.secret}"}
    answer = begin(world, case.content, **headers)
    assert answer.status_code == 201
    done = send(answer["Location"], case.content, 0, **headers)
    assert done.status_code == 204
    client = Client()
    shown = client.get(done["Podium-Submission"], **headers).json()
    assert shown["state"] == row.state
    told = {f"{each['message']}. {each['remedy']}" for each in shown["findings"]}
    told |= {each["sentence"] for each in shown["questions"]}
    if "nothing_found" in row.ids:
        [nothing] = [each["sentence"] for each in found if each["id"] == "nothing_found"]
        assert shown["reason"].startswith(nothing)
        told.add(nothing)
    assert told == whole
    by_rest = Submission.objects.get(pk=shown["id"])

    # The page of that submission.
    client.force_login(world.ada)
    text = text_of(client, by_rest)
    assert all(shows(text, sentence) for sentence in [*whole, *checked["extra"]])

    # The form of the browser, by another team.
    client.force_login(world.bo)
    answer = client.post(
        f"/challenges/blocks/submit/?phase={world.phase.pk}",
        {"archive": SimpleUploadedFile("predictions.zip", case.content, "application/zip")},
        secure=True,
    )
    assert answer.status_code == 302, answer.content.decode()
    by_form = Submission.objects.get(team=world.bos)
    assert by_form.state == row.state
    text = text_of(client, by_form)
    assert all(shows(text, sentence) for sentence in [*whole, *checked["extra"]])

    # The client's upload of an archive: the same bytes as by REST, so it names that submission.
    archive = tmp_path / "archive.zip"
    archive.write_bytes(case.content)
    code, out, _ = podium("submit", "blocks", "reports", archive, "--no-validate", "--json")
    assert code == 0
    assert (json.loads(out)["id"], json.loads(out)["is_repeated"]) == (str(by_rest.pk), True)


def test_confirmed_predictions_have_the_right_values(case: Case, workers):
    submission = case.world.upload(case.content)
    submission.refresh_from_db()
    assert submission.state == case.row.state
    if submission.state == State.REFUSED:
        assert not submission.is_charged
        return
    if submission.state == State.HELD:
        states.score_as_it_is(submission=submission, actor=case.world.ada)
        submission.refresh_from_db()
    assert submission.state == State.SCORED
    # The values of the command line, and no case is lost.
    scored = score_folders(case.world.phase.assessment, case.references, {"Ada's": case.predictions})
    frame = results_frame(submission.runs.get())
    columns = ["case", "region", "metric", "value"]
    ours = sorted(map(tuple, frame[columns].fillna(-1).values.tolist()))
    theirs = sorted(
        (row.case or "", row.region, row.metric, -1 if row.value is None else row.value) for row in scored.rows
    )
    assert [(row[0] if isinstance(row[0], str) else "", *row[1:]) for row in ours] == theirs
    assert "missing" not in set(frame["outcome"])


UNUSABLE = {
    "the category_id 9 of object 1": [{"category_id": 9}],
    "the class 'nodule' in row 2": b"case,class,score,x_min,y_min,x_max,y_max\nc.3,nodule,1,1,1,2,2\n",
}


@pytest.mark.parametrize("reason", UNUSABLE)
def test_all_entrances_reject_a_table_with_the_same_sentence(podium, world: World, capsys, tmp_path, reason):
    references = REPORTS / "coco-one-bad-annotation" / "references"
    document = json.loads((REPORTS / "det.json").read_text())
    assessment = parse(document)
    cases = list(kind_of(assessment).open_references(assessment, references).cases)
    world.phase = add_phase(world, "reports", document)
    world.test_set = create_test_set(phase=world.phase, references=references, cases=cases)
    content = UNUSABLE[reason]
    good = {"image_id": 0, "category_id": 1, "bbox": [10, 10, 20, 20], "score": 0.5}
    if isinstance(content, list):
        content = json.dumps([good | each for each in content]).encode()
    predictions = tmp_path / "predictions"
    predictions.mkdir()
    name = "objects.csv" if content.startswith(b"case") else "objects.json"
    (predictions / name).write_bytes(content)

    submission = world.upload(zipped({name: content}))
    submission.refresh_from_db()
    assert (submission.state, submission.is_charged) == (State.REFUSED, False)
    assert reason in submission.reason
    client = Client()
    client.force_login(world.ada)
    assert submission.reason in text_of(client, submission)
    headers = {"HTTP_AUTHORIZATION": f"Bearer {podium.secret}"}
    assert Client().get(f"/api/v1/submissions/{submission.pk}/", **headers).json()["reason"] == submission.reason

    code, _, errors = podium("validate", "blocks", "reports", predictions)
    assert code
    assert submission.reason in errors

    arguments = ["score", str(REPORTS / "det.json"), "--references", str(references)]
    evaluation_main([*arguments, "--predictions", str(predictions)])
    assert submission.reason in capsys.readouterr().err


OF_NO_CASE = {
    "0 of 2 image ids match the cases of the task; the first are 70, 71. Use an image_id such as 0, 1, 2": [
        {"image_id": 70},
        {"image_id": 71},
    ],
    "0 of 2 image names match the cases of the task; the first are img_1, img_2. Use names such as": ["1.png", "2.png"],
}


@pytest.mark.parametrize("reason", OF_NO_CASE)
def test_all_entrances_hold_a_table_of_other_images_with_the_same_sentence(
    podium, world: World, capsys, tmp_path, reason
):
    references = REPORTS / "coco-one-bad-annotation" / "references"
    document = json.loads((REPORTS / "det.json").read_text())
    cases = list(kind_of(parse(document)).open_references(parse(document), references).cases)
    world.phase = add_phase(world, "reports", document)
    world.test_set = create_test_set(phase=world.phase, references=references, cases=cases)
    entries = [{"category_id": 1, "bbox": [10, 10, 20, 20], "score": 0.5, "image_id": 1}]
    content = OF_NO_CASE[reason]
    if isinstance(content[0], str):
        images = [{"id": number, "file_name": f"img_{name}"} for number, name in enumerate(content, start=1)]
        table = {"images": images, "categories": [{"id": 1, "name": "lesion"}], "annotations": entries}
        written = json.dumps(table).encode()
    else:
        written = json.dumps([entries[0] | each for each in content]).encode()
    predictions = tmp_path / "predictions"
    predictions.mkdir()
    (predictions / "objects.json").write_bytes(written)

    # The client, which uploads nothing before the team confirms.
    code, out, _ = podium("validate", "blocks", "reports", predictions, "--json")
    checked = json.loads(out)
    [question] = checked["questions"]
    assert question["sentence"].startswith(f"objects.json: {reason}")
    assert (code, checked["will_be_taken"]) == (1, True)
    assert {each["id"] for each in checked["findings"]} <= {"row_missing", "row_misnamed"}
    code, _, errors = podium("submit", "blocks", "reports", predictions)
    assert (code, "--confirm" in errors, Submission.objects.count()) == (1, True, 0)

    # Browser and REST.
    submission = world.upload(zipped({"objects.json": written}))
    submission.refresh_from_db()
    assert (submission.state, submission.is_charged) == (State.HELD, False)
    client = Client()
    client.force_login(world.ada)
    text = text_of(client, submission)
    assert "Please confirm these predictions" in text
    assert question["sentence"] in text
    headers = {"HTTP_AUTHORIZATION": f"Bearer {podium.secret}"}
    shown = Client().get(f"/api/v1/submissions/{submission.pk}/", **headers).json()
    assert shown["questions"] == [question]

    # The command line at home, where the references are.
    arguments = ["score", str(REPORTS / "det.json"), "--references", str(references)]
    assert evaluation_main([*arguments, "--predictions", str(predictions)]) == 2
    assert question["sentence"] in capsys.readouterr().err
