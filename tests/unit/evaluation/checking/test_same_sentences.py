"""The page, the client, the interface and the command line show the same sentence for every finding of the catalogue."""

import string
from html import unescape

import pytest
from django.template.loader import render_to_string
from podium_client.validating import Outcome

from api.submissions.serializers import FindingSerializer, QuestionSerializer
from evaluation.checking import Severity
from evaluation.checking.sentences import OF_EVERY_CASE, SENTENCES, finding, of_issue
from evaluation.cli.score import _lines
from evaluation.readers import ReadError
from evaluation.readers.errors import REMEDIES
from evaluation.scoring import ScoredFolders
from executions.scoring.domain.matching import reported
from executions.scoring.domain.report import Extra, Report, Status
from executions.scoring.domain.report import Finding as Reported

FACTS = {
    "case": "case_1",
    "file": "case_1_pred.nii.gz",
    "files": "case_1.mha, case_1.nii.gz",
    "ending": ".nii.gz",
    "count": 3,
    "total": 22,
    "pieces": 4,
    "number": 7,
    "value": "a {b} <c>",
    "words": "a label image",
    "shift": "0.25 mm (0.25 voxels)",
    "reason": "the image_id 77 of object 5",
}
BESIDE_FILE = (
    "file_intended",
    "file_nested",
    "file_not_read",
    "file_of_no_case",
    "row_intended",
    "row_of_no_case",
    "table_not_read",
)
"""Notes that follow the name of a file or of a row."""
WHOLE = ("nothing_found", "table_missing", "table_misnamed", "table_duplicate")
"""Findings about the archive as a whole."""


def page(report: Report, **more) -> str:
    """Text of the validation of a submission, without its marks."""
    html = render_to_string("submissions/validation.html", {"report": report, "expected": {}, **more})
    return " ".join(unescape(html).split())


def command_line(found) -> str:
    """Lines of ``python -m evaluation score`` and ``podium score``."""
    scored = ScoredFolders(findings={"a": [found] if found.id not in BESIDE_FILE else []})
    if found.id in BESIDE_FILE:
        scored.ignored = {"a": {found.file: found}}
    return "\n".join(_lines(scored, "a"))


def client(found) -> str:
    """Lines of ``podium validate``."""
    is_of_case = found.severity is Severity.REJECT
    extra = [f"{found.file}: {found.reason}"] if found.id in BESIDE_FILE else []
    questions = [] if is_of_case or extra else [found]
    return "\n".join(Outcome(22, [found] if is_of_case else [], extra, True, questions=questions).lines)


@pytest.mark.parametrize("finding_id", SENTENCES)
def test_every_entrance_shows_the_sentence_of_the_catalogue(finding_id):
    found = finding(finding_id, **FACTS)
    report = Report(inspected=True, findings={"case_0": Reported("case_0", Status.VALID)})
    if finding_id in BESIDE_FILE:
        report.extra, report.extra_total = [Extra(found.file, found.reason)], 1
        sentence = f"{found.file}: {found.reason}"
        assert f"<code>{found.file}</code>: {found.reason}" in page(report)
    elif finding_id in WHOLE:
        sentence = found.sentence
        report.problem = sentence
        assert sentence in page(report)
    elif found.severity is Severity.REJECT:
        sentence = found.sentence
        report.findings["case_1"] = reported(found)
        cells = f'{found.reason}</td><td data-label="Remedy">{found.remedy}'
        assert cells in page(Report.of(report.document()))
        shown = FindingSerializer(report.troubled[0]).data
        assert f"{shown['message']}. {shown['remedy']}" == sentence
    else:
        sentence = found.sentence
        report.questions = [found]
        assert sentence in page(Report.of(report.document()))
        assert QuestionSerializer(report.questions[0]).data["sentence"] == sentence
    assert sentence in client(found)
    assert sentence in command_line(found)


def test_the_facts_fill_every_name_of_the_catalogue():
    for sentence in SENTENCES.values():
        names = {name for part in sentence[1:] for _, name, _, _ in string.Formatter().parse(part) if name}
        assert names <= set(FACTS)


@pytest.mark.parametrize("finding_id", sorted(set(SENTENCES) - set(BESIDE_FILE)))
def test_a_sentence_begins_with_a_capital_letter_or_with_a_name(finding_id):
    reason = SENTENCES[finding_id].reason
    assert reason[0].isupper() or reason.startswith(("{file}", "{case}", "{count}"))


@pytest.mark.parametrize("kind", REMEDIES)
@pytest.mark.parametrize("file", ["case_1.nii.gz", "labels.csv"])
def test_what_a_reader_refuses_has_one_sentence_too(kind, file):
    issue = ReadError(kind, file, "what the file has", "what the task expects").issue
    found = of_issue(issue, case="case_1", file=file)
    assert (found.id, found.sentence) == (kind, f"{issue.message}. {issue.remedy}".strip())
    scored = ScoredFolders(reasons={("a", "case_1"): issue})
    report = Report.of(Report(inspected=True, findings={"case_1": reported(found)}).document())
    shown = FindingSerializer(report.troubled[0]).data
    assert (shown["kind"], f"{shown['message']}. {shown['remedy']}".strip()) == (kind, found.sentence)
    assert found.sentence in "\n".join(_lines(scored, "a"))
    assert found.sentence in client(found)
    assert f'{found.reason}</td><td data-label="Remedy">{found.remedy}' in page(report)


def test_the_client_names_an_empty_result_as_the_page_does():
    missing = [finding("file_missing", case=f"case_{number}", ending=".nii.gz") for number in range(3)]
    nothing = finding("nothing_found", count=3)
    empty = Outcome(3, missing, [], True, "counts as 0")
    assert nothing.sentence in empty.lines
    assert "If you submit these files" not in "\n".join(empty.lines)
    assert empty.document["findings"][-1]["id"] == "nothing_found"
    some = Outcome(3, missing[:2], [], True, "counts as 0")
    assert nothing.sentence not in some.lines
    assert {each["id"] for each in some.document["findings"]} == {"file_missing"}


@pytest.mark.parametrize("finding_id", sorted(OF_EVERY_CASE))
@pytest.mark.parametrize("incomplete_allowed", [True, False])
def test_the_client_accepts_a_fault_of_every_case_where_the_platform_holds_it(finding_id, incomplete_allowed):
    missing = [finding("file_missing", case=f"case_{number}", ending=".nii.gz") for number in range(3)]
    question = finding(finding_id, **FACTS)
    assert question.severity is Severity.HOLD
    outcome = Outcome(3, missing, [], incomplete_allowed, "counts as 0", [question])
    assert outcome.will_be_taken == incomplete_allowed
    nothing = finding("nothing_found", count=3).sentence
    assert (nothing in outcome.lines) != incomplete_allowed
    assert ("If you submit these files, each other case counts as 0." in outcome.lines) == incomplete_allowed
