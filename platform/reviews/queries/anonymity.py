"""Anonymized designs for double-blind reviewers, and the displayed names of authors.

The organization section is excluded as a whole. In the remaining sections, the names, institutions and mail addresses
of the people behind the design and all web addresses are masked wherever they occur.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from designs.models import Collaborator
from designs.queries import document_of_version
from evaluation.designs.checks.running import Finding
from evaluation.designs.document import Document, Entry
from reviews.domain.sections import hidden_in_double
from reviews.models import Assignment, Call, FiledVersion, Filing, Side
from reviews.queries.conflicts import named_people

NAME, ADDRESS = "[name withheld]", "[address withheld]"
_ADDRESSES = re.compile(r"\b(?:https?://|www\.)\S+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", re.IGNORECASE)
# Shorter words would mask what names nobody.
_SHORTEST: Final = 3


@dataclass(frozen=True)
class Mask:
    """Replaces what gives the organizers away."""

    pattern: re.Pattern[str] | None

    def text(self, text: str) -> str:
        """A text without names and addresses."""
        text = _ADDRESSES.sub(ADDRESS, text)
        return self.pattern.sub(NAME, text) if self.pattern else text

    def value(self, value: Any) -> Any:
        """A JSON value without names and addresses; keys and numbers stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return value

    def entry(self, entry: Entry) -> Entry:
        """A field without names and addresses."""
        return replace(
            entry,
            value=self.value(entry.value),
            details=self.text(entry.details),
            reason=self.text(entry.reason),
            event=self.text(entry.event),
        )


def mask_of(filing: Filing) -> Mask:
    """Return the mask of a filing.

    It covers all people who work on the design on the platform, and all people named in a filed version.
    """
    return masks_of([filing])[filing.pk]


def masks_of(filings: Iterable[Filing]) -> dict[int, Mask]:
    """The masks of many filings, in two queries."""
    chosen = list(filings)
    words: dict[int, set[str]] = {filing.pk: set() for filing in chosen}
    parts: dict[int, set[str]] = defaultdict(set)
    for part in Collaborator.objects.filter(design__in=[f.design_id for f in chosen]).select_related("user"):
        parts[part.design_id] |= _account_words(part.user)
    for filing in chosen:
        words[filing.pk] |= parts[filing.design_id]
    for filed in FiledVersion.objects.filter(filing__in=chosen).select_related("version"):
        for row in named_people(filed.version):
            words[filed.filing_id] |= _row_words(row)
    return {pk: _mask(hidden_words) for pk, hidden_words in words.items()}


def mask_of_draft(design_id: int, rows: Iterable[Mapping[str, Any]]) -> Mask:
    """The mask of a design that is not filed yet, from the people that its document names now."""
    words: set[str] = set()
    for part in Collaborator.objects.filter(design=design_id).select_related("user"):
        words |= _account_words(part.user)
    for row in rows:
        words |= _row_words(row)
    return _mask(words)


def _account_words(user: Any) -> set[str]:
    return {user.get_full_name(), user.last_name, *_parts(user.affiliation)}


def _row_words(row: Mapping[str, Any]) -> set[str]:
    name = str(row.get("name") or "")
    return {name, name.rsplit(maxsplit=1)[-1] if name.split() else "", *_parts(str(row.get("affiliation") or ""))}


def _mask(words: set[str]) -> Mask:
    useful = sorted({word.strip() for word in words if len(word.strip()) >= _SHORTEST}, key=len, reverse=True)
    if not useful:
        return Mask(None)
    spelled = "|".join(_spelled(word) for word in useful)
    return Mask(re.compile(rf"(?<!\w)(?:{spelled})(?!\w)"))


def _spelled(name: str) -> str:
    """Return a pattern that matches a name in a text.

    The pattern allows any white space. Case is ignored unless the name is a single word (Long, Case).
    """
    parts = [re.escape(part) for part in name.split()]
    spaced = r"\s+".join(parts)
    return parts[0] if len(parts) == 1 else f"(?i:{spaced})"


def _parts(affiliation: str) -> Iterable[str]:
    """An affiliation as a whole, its institution, and the short names in it."""
    yield affiliation
    for one in affiliation.split(";"):
        yield re.sub(r"\([^)]*\)", "", one).split(",")[0]
        yield from re.findall(r"\(([^)]+)\)", one)


def hidden_parameters(call: Call) -> frozenset[str]:
    """Parameters that reviewers of the call do not see."""
    return hidden_in_double() if call.hides_organizers else frozenset()


def reviewed_document(filed: FiledVersion, mask: Mask | None) -> Document:
    """A filed version as its reviewers see it; with a mask without the organizers."""
    document = document_of_version(filed.version)
    if mask is None:
        return document
    hidden = hidden_in_double()
    return Document(
        {key: mask.entry(entry) for key, entry in document.challenge.items() if key not in hidden},
        {
            task: {key: mask.entry(entry) for key, entry in entries.items() if key not in hidden}
            for task, entries in document.tasks.items()
        },
    )


def masked_findings(findings: Iterable[Finding], mask: Mask | None) -> list[Finding]:
    """Findings as reviewers see them: none about what is hidden, and no names in the rest."""
    if mask is None:
        return list(findings)
    hidden = hidden_in_double()
    masked = []
    for finding in findings:
        if finding.check.parameter in hidden:
            continue
        answer = finding.answer
        if answer is not None:
            # A copy that nobody saves: the stored answer keeps its words.
            copy = type(answer)(check_id=answer.check_id, text=mask.text(answer.text), basis=answer.basis)
            finding = replace(finding, answer=copy)  # noqa: PLW2901 (the masked one takes its place)
        masked.append(replace(finding, detail=mask.text(finding.detail)))
    return masked


def speaker(call: Call, reader: str, side: str, author: Any, assignment: Assignment | None) -> str:
    """Return the name of an author as displayed to a reader (a value of `Side`).

    Chairs see all names.
    """
    if reader == Side.CHAIR:
        return author.display_name
    if side == Side.REVIEWER:
        hidden = call.hides_reviewers
        label = f"Reviewer {assignment.label}" if assignment else "A reviewer"
        return label if hidden else f"{author.display_name} ({label})"
    if side == Side.ORGANIZER:
        hidden = reader == Side.REVIEWER and call.hides_organizers
        return "The organizers" if hidden else author.display_name
    return "The chairs"
