"""A registered document as its pages show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.cache import cache

from designs.queries import document_of_version
from designs.queries.findings import all_findings, outline
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks import reads
from evaluation.designs.document import Document, Entry, State, clean
from evaluation.documents import Block
from registry.domain.public_documents import CHALLENGE, parsed, withheld, without_contacts
from registry.models import Disclosure, RegistrationVersion
from registry.queries.registrations import opened_values

# Its catalogue texts can be changed by administrators; that shows after this time.
CACHE_SECONDS = 300
# Headings of the outline.
OPEN_POINTS = "Open points"
TASK = "Task: "


@dataclass(frozen=True)
class Part:
    """A part of the record below a heading of its own, with an anchor."""

    key: str
    title: str
    level: int
    blocks: tuple[Block, ...]


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
    for place, entry in opened.items():
        where, parameter = place.split("/", 1)
        holder = challenge if where == CHALLENGE else tasks[where]
        value = clean(shipped()[parameter], entry.value)
        holder[parameter] = replace(holder[parameter], value=value, state=State.PROVIDED, event="", digest="")
    return Document(challenge, tasks)


def record_parts(version: RegistrationVersion) -> list[Part]:
    """The whole record in parts, from the outline that its files are made from as well.

    The outline compiles the design and runs its checks, so it is kept a while for each state of the record.
    """
    opened = opened_values(version)
    key = f"registry.parts.{version.digest}.{len(opened)}"
    parts: list[Part] | None = cache.get(key)
    if parts is None:
        parts = _parts(list(outline(shown_document(version, opened), title="", public=True)))
        cache.set(key, parts, CACHE_SECONDS)
    return parts


def answered_checks(version: RegistrationVersion) -> list[Answered]:
    """Warnings that stand, with the answers of the organizers; nothing of what is withheld or personal."""
    key = f"registry.answers.{version.digest}"
    found: list[Answered] | None = cache.get(key)
    if found is None:
        found = _answered(version)
        cache.set(key, found, CACHE_SECONDS)
    return found


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
        Part(f"part-{number}", heading.text, heading.level, tuple(held))
        for number, (heading, held) in enumerate(cut, start=1)
        if heading.level > 1 and heading.text != OPEN_POINTS
    ]


def _whole(version: RegistrationVersion) -> Document:
    """The document with what is not public, as far as it is known.

    A version that a change request made is a public document: what it took over from the version that was frozen in
    full still stands there in full, and what it changed is taken from the version itself.
    """
    shown, base = shown_document(version), version
    while base.design_version is None and base.previous is not None:
        base = base.previous
    if base.design_version is None:
        return shown
    full, public = document_of_version(base.design_version), shown_document(base)
    return Document(
        _filled(shown.challenge, public.challenge, full.challenge),
        {
            key: _filled(entries, public.tasks.get(key, {}), full.tasks.get(key, {}))
            for key, entries in shown.tasks.items()
        },
    )


def _filled(shown: Mapping[str, Entry], public: Mapping[str, Entry], full: Mapping[str, Entry]) -> dict[str, Entry]:
    kept = {name: entry for name, entry in full.items() if shown.get(name) == public.get(name)}
    return {**shown, **kept}


def _answered(version: RegistrationVersion) -> list[Answered]:
    """Checks run on the whole frozen design, or masked values would look like faults; what they say is then sifted."""
    document = _whole(version)
    hidden = {place.split("/", 1)[1] for place in withheld(version.document)}
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
