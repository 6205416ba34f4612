"""Views of a filing for organizers, reviewers and chairs: the same content with different names."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from designs.models import Design
from designs.queries import document_of, document_of_version, texts
from designs.queries.findings import all_findings, outline
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import applies
from evaluation.designs.differences import Difference, compare
from evaluation.designs.document import Document
from evaluation.designs.document.entries import BLANK
from evaluation.designs.document.words import entry_words, row_cells
from evaluation.designs.exports import as_json
from evaluation.documents import as_markdown
from evaluation.documents.blocks import Block
from reviews import queries
from reviews.domain.comparing import ComparedQuestion, compared
from reviews.domain.sections import BY_KEY, ORGANIZATION, ReviewSection, hidden_in_double, section_of
from reviews.models import Assignment, FiledVersion, Filing, Part, ReviewThread, Side
from reviews.queries import anonymity
from reviews.queries.anonymity import Mask

COMPARABLE = 2
"""Smallest number of reviews whose answers are compared."""
JUDGEMENTS = {"yes": "yes", "partly": "partly", "no": "no", "unsure": "cannot judge"}


def mask_for(filing: Filing, reader: str) -> Mask | None:
    """The mask for a reader: for reviewers of a double-blind call alone."""
    hidden = reader == Side.REVIEWER and filing.call.hides_organizers
    return anonymity.mask_of(filing) if hidden else None


def masked(filing: Filing, text: str) -> str:
    """A text of the organizers as reviewers read it."""
    mask = mask_for(filing, Side.REVIEWER)
    return mask.text(text) if mask else text


# --- The design --------------------------------------------------------------------------------------------------
def section_shown(assignment: Assignment, section: ReviewSection) -> list[dict[str, Any]]:
    """Return the parameters of a section with their findings and points.

    They are grouped by challenge and task.
    """
    filing = assignment.filing
    filed = queries.latest(filing)
    mask = mask_for(filing, Side.REVIEWER)
    document = anonymity.reviewed_document(filed, mask)
    findings = findings_shown(filing, filed, mask)
    beside: dict[tuple[str, str], list[ReviewThread]] = defaultdict(list)
    for thread in queries.threads_for_reviewer(assignment):
        beside[thread.parameter, thread.task_key].append(thread)
    hidden = anonymity.hidden_parameters(filing.call)
    parameters = [
        parameter
        for parameter in texts.catalogue().parameters.values()
        if section.shows(parameter) and parameter.id not in hidden
    ]
    groups = []
    for task in ("", *document.tasks):
        values = document.values(task or None)
        entries = document.tasks[task] if task else document.challenge
        fields = [
            {
                "parameter": parameter,
                "parameter_id": parameter.id,
                "task_key": task,
                "key": f"{parameter.id}-{task}" if task else parameter.id,
                "words": entry_words(parameter, entries.get(parameter.id, BLANK), insider=True),
                "rows": row_cells(parameter, entries.get(parameter.id, BLANK)),
                "details": entries.get(parameter.id, BLANK).details,
                "applies": applies(parameter, values),
                "findings": _beside(findings, parameter.id, task),
                "threads": _threads(beside[parameter.id, task], filing, Side.REVIEWER, mask),
            }
            for parameter in parameters
            if parameter.is_task == bool(task)
        ]
        if fields:
            groups.append({"task_key": task, "title": values.name if task else "The challenge", "fields": fields})
    return groups


def findings_shown(filing: Filing, filed: FiledVersion, mask: Mask | None) -> list[Finding]:
    """Return the findings of a filed version with the organizers' answers, for its reviewers (REV-8).

    The checks run on the whole version. Hidden values are removed afterwards, so they do not seem to be missing.
    """
    findings = all_findings(document_of_version(filed.version), design=filing.design, phase="submission")
    return anonymity.masked_findings(findings, mask)


def _beside(findings: list[Finding], parameter: str, task: str) -> list[Finding]:
    beside: dict[str, Finding] = {}
    for finding in findings:
        if finding.check.parameter == parameter and (not task or finding.task in (None, task)):
            beside.setdefault(finding.check.id, finding)
    return list(beside.values())


def names_elsewhere(design: Design) -> list[str]:
    """Labels of fields outside of the organization section that name people or places of the organizers."""
    document = document_of(design)
    mask = anonymity.mask_of_draft(design.pk, _named_now(document))
    hidden = hidden_in_double()
    labels = []
    for entries in (document.challenge, *document.tasks.values()):
        for parameter, entry in entries.items():
            if parameter not in hidden and mask.entry(entry) != entry:
                labels.append(shipped()[parameter].label)
    return list(dict.fromkeys(labels))


def _named_now(document: Document) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for parameter in ("organizing_team", "contact_person"):
        value = document.values().get(parameter)
        rows += [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, dict)]
    return rows


def places_of(filing: Filing, between: str) -> list[tuple[str, str]]:
    """Return the parameters on which a point can be raised.

    These are all parameters of the challenge and of each task of the version filed last.
    """
    document = document_of_version(queries.latest(filing).version)
    places = []
    for parameter in texts.catalogue().parameters.values():
        if parameter.is_task:
            places += [
                (f"{parameter.id}{between}{values.task_key}", f"{parameter.label} ({values.name})")
                for values in document.each_task()
            ]
        else:
            places.append((f"{parameter.id}{between}", parameter.label))
    return places


# --- Differences -------------------------------------------------------------------------------------------------
def differences_to(filed: FiledVersion, now: Document) -> list[dict[str, Any]]:
    """Return the changes that organizers made since a filed version."""
    return _differences(document_of_version(filed.version), now)


def differences_between(before: FiledVersion, after: FiledVersion, reader: str) -> list[dict[str, Any]]:
    """Return the changes between two filed versions, as a reader can see them (REV-5)."""
    mask = mask_for(after.filing, reader)
    return _differences(anonymity.reviewed_document(before, mask), anonymity.reviewed_document(after, mask))


def _differences(before: Document, after: Document) -> list[dict[str, Any]]:
    names = {values.task_key: values.name for values in (*before.each_task(), *after.each_task())}
    differences: list[Difference] = compare(before, after)
    return [{"difference": entry, "task": names.get(entry.task, "")} for entry in differences]


# --- Words -------------------------------------------------------------------------------------------------------
def threads_shown(threads: Iterable[ReviewThread], filing: Filing, reader: str) -> list[dict[str, Any]]:
    """Return points with their comments, each under the name that the reader can know."""
    return _threads(threads, filing, reader, mask_for(filing, reader))


def _threads(threads: Iterable[ReviewThread], filing: Filing, reader: str, mask: Mask | None) -> list[dict[str, Any]]:
    call, catalogue = filing.call, texts.catalogue()
    thread_rows = []
    for thread in threads:
        parameter = catalogue[thread.parameter]
        comments = [
            {
                "who": anonymity.speaker(call, reader, comment.side, comment.author, comment.assignment),
                "text": mask.text(comment.text) if mask and comment.side == Side.ORGANIZER else comment.text,
                "at": comment.created_at,
                "side": comment.side,
            }
            for comment in thread.comments.all()
        ]
        thread_rows.append({
            "thread": thread,
            "label": parameter.label,
            "section": section_of(parameter),
            "comments": comments,
            "is_answered": any(comment["side"] == Side.ORGANIZER for comment in comments),
        })  # fmt: skip
    return thread_rows


def thread_counts(threads: Iterable[ReviewThread]) -> dict[str, int]:
    """Return the numbers of open, answered and resolved points, and of unresolved blocking ones."""
    rows = list(threads)
    counts = Counter(row.state for row in rows)
    blocking = sum(row.is_blocking and row.state != ReviewThread.State.RESOLVED for row in rows)
    return {**{str(state): counts[state] for state in ReviewThread.State}, "blocking": blocking, "all": len(rows)}


def discussion_shown(filing: Filing, reader: str) -> list[dict[str, Any]]:
    """The discussion of reviewers and chairs."""
    return [
        {
            "who": anonymity.speaker(
                filing.call, reader, Side.REVIEWER if entry.assignment else Side.CHAIR, entry.author, entry.assignment
            ),
            "text": entry.text,
            "at": entry.created_at,
        }
        for entry in filing.discussion.select_related("author", "assignment")
    ]


def reviews_shown(filing: Filing, filed: FiledVersion, reader: str) -> list[dict[str, Any]]:
    """Reviews of a version as they were sent last; the confidential note for chairs alone."""
    review_rows = []
    for sent in queries.newest_sent(filing, filed):
        assignment = sent.review.assignment
        sections: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for answer in sent.content["answers"]:
            words = JUDGEMENTS.get(answer["judgement"], "")
            sections[answer["section"]].append({**answer, "judgement": words})
        user = assignment.reviewer.user
        review_rows.append({
            "label": assignment.label,
            "who": anonymity.speaker(filing.call, reader, Side.REVIEWER, user, assignment),
            "part": Part(assignment.part).label,
            "sent": sent,
            "sections": [(BY_KEY[key].label, rows) for key, rows in sections.items()],
            "confidential": sent.confidential if reader == Side.CHAIR else "",
        })  # fmt: skip
    return review_rows


def answers_compared(reviews: Sequence[Mapping[str, Any]]) -> list[ComparedQuestion]:
    """Return the answers of shown reviews (`reviews_shown`) by question; empty with fewer than two reviews."""
    if len(reviews) < COMPARABLE:
        return []
    return compared([
        (review["who"], [{**row, "section": label} for label, rows in review["sections"] for row in rows])
        for review in reviews
    ])  # fmt: skip


# --- Files -------------------------------------------------------------------------------------------------------
def exported(filing: Filing, filed: FiledVersion, ending: str, reader: str) -> str:
    """A filed version as JSON or Markdown, as the reader may see it; title and metadata included."""
    if ending == "json":
        return as_json(anonymity.reviewed_document(filed, mask_for(filing, reader)))[0]
    return as_markdown(printed(filing, filed, reader)[0])


def printed(filing: Filing, filed: FiledVersion, reader: str) -> tuple[list[Block], str]:
    """Return the title and content of a filed version as a document, as the reader can see it."""
    mask = mask_for(filing, reader)
    document = anonymity.reviewed_document(filed, mask)
    title = mask.text(filing.title) if mask else filing.title
    findings = findings_shown(filing, filed, mask)
    blocks = outline(
        document,
        title=title,
        digest="" if mask else filed.version.digest,
        without=(ORGANIZATION,) if mask else (),
        open_points=findings,
    )
    return list(blocks), title
