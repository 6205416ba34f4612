"""A registered document as its pages show it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.cache import cache

from designs.queries import document_of_version
from designs.queries.findings import all_findings, outline
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks import reads
from evaluation.designs.document import Document, Entry, State, Values, clean
from evaluation.designs.document.words import value_words
from evaluation.documents import Block
from registry.domain.public_documents import CHALLENGE, parsed, withheld, without_contacts
from registry.models import Disclosure, RegistrationVersion
from registry.queries.document_figures import metric_label
from registry.queries.registrations import opened_values

# Its catalogue texts can be changed by administrators; that shows after this time.
CACHE_SECONDS = 300
# Headings of the outline.
OPEN_POINTS = "Open points"
TASK = "Task: "
NOT_SPECIFIED = "Not specified"
SHORT, LONG, MOST_IN_LINE = 60, 110, 3
"""Limits of a summary line of the record.

The first is the length of a value that is shown in full, the second the length to which longer values are cut.
Both are in characters. The third is the maximum number of values.
"""
FACTS = (
    ("Event", "challenge_venue"),
    ("Category", "task_category"),
    ("Modality", "imaging_modality"),
    ("Ranking", "ranking_type"),
    ("Submission", "submission_method"),
    ("Results", "results_announcement_policy"),
    ("Data licence", "data_license"),
)


@dataclass(frozen=True)
class Part:
    """A part of the record with a separate heading and an anchor.

    Attributes
    ----------
    line
        Summary in a single line, shown while the part is folded.
    blank
        Labels of the values that are not specified, listed together at the end.
    """

    key: str
    title: str
    level: int
    blocks: tuple[Block, ...]
    line: str = ""
    blank: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answered:
    """A check that the organizers did not obey, and their answer."""

    severity: str
    message: str
    task: str
    answer: str


def shown_document(version: RegistrationVersion, opened: dict[str, Disclosure] | None = None) -> Document:
    """The public document, with values that were opened in their places."""
    document = parsed(version.document)
    opened = opened_values(version) if opened is None else opened
    challenge, tasks = dict(document.challenge), {key: dict(entries) for key, entries in document.tasks.items()}
    for field_path, entry in opened.items():
        where, parameter = field_path.split("/", 1)
        holder = challenge if where == CHALLENGE else tasks[where]
        value = clean(shipped()[parameter], entry.value)
        holder[parameter] = replace(holder[parameter], value=value, state=State.PROVIDED, event="", digest="")
    return Document(challenge, tasks)


def record_parts(version: RegistrationVersion) -> list[Part]:
    """The whole record in parts, from the outline that its files are made from as well.

    The outline compiles the design and runs its checks, so it is kept a while for each state of the record.
    """
    opened = opened_values(version)
    key = f"registry.record.{version.digest}.{len(opened)}"
    parts: list[Part] | None = cache.get(key)
    if parts is None:
        parts = _parts(list(outline(shown_document(version, opened), title="", public=True)))
        cache.set(key, parts, CACHE_SECONDS)
    return parts


def answered_checks(version: RegistrationVersion) -> list[Answered]:
    """Return the current warnings with the answers of the organizers.

    Withheld and personal values do not appear.
    """
    key = f"registry.answers.{version.digest}"
    answered: list[Answered] | None = cache.get(key)
    if answered is None:
        answered = _answered(version)
        cache.set(key, answered, CACHE_SECONDS)
    return answered


def _parts(blocks: Sequence[Block]) -> list[Part]:
    """Cut the outline at sections: those of the challenge, and below each task its own."""
    cut: list[tuple[Block, list[Block]]] = []
    in_task = False
    for block in blocks:
        if block.kind == "heading" and block.level <= 2:
            in_task = block.text.startswith(TASK)
        if block.kind == "heading" and (block.level <= 2 or (in_task and block.level == 3)):
            cut.append((block, []))
        elif cut:
            cut[-1][1].append(block)
    # The title and the remark below it belong to the files; open points have a place of their own on the page.
    return [
        _part(f"part-{number}", heading, held)
        for number, (heading, held) in enumerate(cut, start=1)
        if heading.level > 1 and heading.text != OPEN_POINTS
    ]


def _part(key: str, heading: Block, held: Sequence[Block]) -> Part:
    """A part with what is not specified gathered, and its line: the first short values, else the beginning of a text."""
    groups: list[list[Block]] = [[]]
    for block in held:
        if block.kind == "heading":
            groups.append([])
        groups[-1].append(block)
    unsaid = [
        group for group in groups if [(block.kind, block.text) for block in group[1:]] == [("remark", NOT_SPECIFIED)]
    ]
    blocks = [block for group in groups if group not in unsaid for block in group]
    blank = [group[0].text for group in unsaid]
    line = _line(blocks)
    return Part(key, heading.text, heading.level, tuple(blocks), line, tuple(blank))


def _line(blocks: Sequence[Block]) -> str:
    """Return the summary line of a part.

    A bare number follows the name of what it counts.
    """
    label, texts, short = "", [], []
    for block in blocks:
        if block.kind == "heading":
            label = re.sub(r" \(BIAS [^)]*\)$", "", block.text)
        elif block.kind == "text":
            text = block.text.removesuffix(":")
            texts.append(text)
            # “none” without its heading says nothing.
            if len(text) <= SHORT and text != "none":
                short.append(f"{label}: {text}" if label and text.isdecimal() else text)
        elif block.kind == "list":
            texts += map(str, block.items[:1])
        elif block.kind == "digest":
            texts.append(f"{block.items[0]} {block.text[:12]}…")
    if short:
        return " · ".join(short[:MOST_IN_LINE])
    return next((_cut(text) for text in texts), "")


def record_facts(document: Document) -> list[tuple[str, str]]:
    """Return the key facts of a record, each in a few words; empty if not specified."""
    views = list(document.each_task()) or [document.values()]
    several = len(views) > 1
    facts = [("Tasks" if several else "Task", _each(view.name for view in views))]
    facts += [
        (label, _each(word for view in views for word in _words(identity, view).split("; ")))
        for label, identity in FACTS
    ]
    facts.insert(4, ("Cases", _each(_case_words(view, several=several) for view in views)))
    facts.insert(5, ("Metrics", _each(_metric_words(view, several=several) for view in views)))
    return facts


def _each(words: Iterable[str]) -> str:
    """Join the distinct terms of all tasks.

    Long terms are cut individually, so the terms of later tasks stay visible.
    """
    return "; ".join(dict.fromkeys(_cut(word) for word in words if word))


def _cut(text: str) -> str:
    return text if len(text) <= LONG else f"{text[:LONG].rsplit(' ', 1)[0]} …"


def _words(identity: str, view: Values) -> str:
    entry = view.entry(identity)
    return value_words(shipped()[identity], entry.value, public=True) if entry.state is State.PROVIDED else ""


def _case_words(view: Values, *, several: bool) -> str:
    counts = [
        f"{number:,} {what}"
        for what, number in ((what, view.get(f"number_{what}_cases")) for what in ("training", "validation", "test"))
        if isinstance(number, int)
    ]
    lead = f"{view.name}: " if several and counts else ""
    return f"{lead}{', '.join(counts)}"


def _metric_words(view: Values, *, several: bool) -> str:
    rows = view.rows("metrics")
    names = dict.fromkeys(str(row.get("abbreviation") or "") or metric_label(row) for row in rows)
    words = ", ".join(name for name in names if name)
    return f"{view.name}: {words}" if several and words else words


def _whole(version: RegistrationVersion) -> Document:
    """Return the document including values that are not public, as far as they are known.

    A version created by a change request is a public document. The values that it took over come in full from the
    version that was frozen in full. The values that it changed come from the version itself.
    """
    visible_document, base = shown_document(version), version
    while base.design_version is None and base.previous is not None:
        base = base.previous
    if base.design_version is None:
        return visible_document
    full, public = document_of_version(base.design_version), shown_document(base)
    return Document(
        _filled(visible_document.challenge, public.challenge, full.challenge),
        {
            key: _filled(entries, public.tasks.get(key, {}), full.tasks.get(key, {}))
            for key, entries in visible_document.tasks.items()
        },
    )


def _filled(
    visible_entries: Mapping[str, Entry], public: Mapping[str, Entry], full: Mapping[str, Entry]
) -> dict[str, Entry]:
    unchanged_entries = {name: entry for name, entry in full.items() if visible_entries.get(name) == public.get(name)}
    return {**visible_entries, **unchanged_entries}


def _answered(version: RegistrationVersion) -> list[Answered]:
    """Run the checks on the full frozen design and filter their findings.

    On the public document, masked values would look like errors.
    """
    document = _whole(version)
    hidden = {field_path.split("/", 1)[1] for field_path in withheld(version.document)}
    hidden |= {parameter.id for parameter in shipped().parameters.values() if parameter.visibility != "public"}
    names = {values.task_key: values.name for values in document.each_task()}
    return [
        Answered(
            severity=finding.word,
            message=without_contacts(f"{finding.message} {finding.detail}".strip()),
            task=names.get(finding.task, "") if finding.task else "",
            answer=without_contacts(finding.answer.text) if finding.answer and finding.is_answered else "",
        )
        for finding in all_findings(document, design=version.registration.design)
        if finding.severity != "info" and not hidden & reads(finding.check)
    ]
