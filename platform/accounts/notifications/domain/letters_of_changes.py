"""Messages about changes of a registered design."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, act, always, ended

LONGEST_VALUE: Final = 160


@dataclass(frozen=True)
class Changed:
    """A parameter of a design with its value before and after, as the reader may see them."""

    label: str
    before: str
    after: str


@dataclass(frozen=True)
class OfChange:
    """A request to change a registered design, and what was decided."""

    title: str
    identifier: str
    changes: Sequence[Changed] = ()
    kind: str = ""
    next_step: str = ""
    text: str = ""
    refused: Sequence[Changed] = ()
    version: str | None = None
    is_deviation: bool = False
    moves: Sequence[str] = ()


_CHANGES: Final = always("changes", lambda of: _changes(of.changes), "– Number of test cases: “45” → “60”")
ASKED: Final[Act[OfChange]] = act(
    "change_asked",
    [
        always(
            "subject",
            lambda of: f"{of.title}: a change of {of.identifier} is requested",
            "Liver: a change of podium-2026-0001 is requested",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"The organizers of {of.title} ask for a {of.kind} change of the registered design {of.identifier}."
            ),
            "The organizers of Liver ask for a critical change of the registered design podium-2026-0001.",
        ),
        _CHANGES,
        always("next", lambda of: of.next_step, "A chair decides."),
    ],
)
WITHDRAWN: Final[Act[OfChange]] = act(
    "change_withdrawn",
    [
        always(
            "subject",
            lambda of: f"{of.title}: the requested change of {of.identifier} is withdrawn",
            "Liver: the requested change of podium-2026-0001 is withdrawn",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"The organizers of {of.title} have withdrawn their request to change the registered design {of.identifier}."
            ),
            "The organizers of Liver have withdrawn their request to change the registered design podium-2026-0001.",
        ),
        always(
            "stays",
            lambda _: "The registered values are unchanged. The request was to change:",
            "The registered values are unchanged. The request was to change:",
        ),
        _CHANGES,
    ],
)
OBJECTED: Final[Act[OfChange]] = act(
    "change_objected",
    [
        always(
            "subject",
            lambda of: f"{of.title}: an objection to a change of {of.identifier}",
            "Liver: an objection to a change of podium-2026-0001",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"A participant of {of.title} objects to the requested change of the registered design {of.identifier}:"
            ),
            "A participant of Liver objects to the requested change of the registered design podium-2026-0001:",
        ),
        always("objection", lambda of: _value(of.text), "“Too late.”"),
        always("asked", lambda _: "The request is to change:", "The request is to change:"),
        _CHANGES,
        always(
            "next",
            lambda _: "The objection is listed with the request. The chairs decide.",
            "The objection is listed with the request. The chairs decide.",
        ),
    ],
)
DECIDED: Final[Act[OfChange]] = act(
    "change_decided",
    [
        Paragraph(
            "refused_subject",
            "Nothing was approved.",
            lambda of: of.version is None,
            lambda of: f"{of.title}: no change of {of.identifier}",
            "Liver: no change of podium-2026-0001",
        ),
        always("subject", lambda of: f"{of.title}: {of.identifier} has changed", "Liver: podium-2026-0001 has changed"),
    ],
    [
        Paragraph(
            "refused",
            "Nothing was approved.",
            lambda of: of.version is None,
            lambda of: (
                f"None of the requested changes of {of.title} was approved. The registered design {of.identifier} stays as it is."
            ),
            "None of the requested changes of Liver was approved. The registered design podium-2026-0001 stays as it is.",
        ),
        Paragraph(
            "news",
            "There is a new version.",
            lambda of: of.version is not None,
            lambda of: (
                f"Version {of.version} of the registered design {of.identifier} of {of.title} applies from now on."
            ),
            "Version 1.1 of the registered design podium-2026-0001 of Liver applies from now on.",
        ),
        Paragraph(
            "approved",
            "There is a new version.",
            lambda of: of.version is not None,
            lambda of: _changes(of.changes),
            "– Number of test cases: “45” → “60”",
        ),
        Paragraph(
            "rest",
            "Something was approved, and something was not.",
            lambda of: of.version is not None and bool(of.refused),
            lambda _: "Not approved; these registered values are unchanged:",
            "Not approved; these registered values are unchanged:",
        ),
        Paragraph(
            "asked",
            "Nothing was approved.",
            lambda of: of.version is None and bool(of.refused),
            lambda _: "The request was to change:",
            "The request was to change:",
        ),
        Paragraph(
            "not_approved",
            "Something was not approved.",
            lambda of: bool(of.refused),
            lambda of: _changes(of.refused),
            "– Number of test cases: “45” → “60”",
        ),
        Paragraph(
            "deviation",
            "The new version was decided after the first submission.",
            lambda of: of.version is not None and of.is_deviation,
            lambda _: (
                "It is a deviation, decided after the first submission. The mark next to the rankings is permanent."
            ),
            "It is a deviation, decided after the first submission. The mark next to the rankings is permanent.",
        ),
    ],
)
EXTENDED: Final[Act[OfChange]] = act(
    "deadline_extended",
    [
        always(
            "subject",
            lambda of: f"{of.title}: {'a deadline is' if len(of.moves) == 1 else 'deadlines are'} later",
            "Liver: a deadline is later",
        )
    ],
    [
        always(
            "news",
            lambda of: f"The organizers of {of.title} have moved {_deadlines(of)}:",
            "The organizers of Liver have moved a deadline to a later date:",
        ),
        always(
            "moves",
            lambda of: "\n".join(f"– {move}" for move in of.moves),
            "– Final: 21 January 2027, 23:59 UTC → 28 January 2027, 23:59 UTC",
        ),
        Paragraph(
            "reason",
            "The organizers gave a reason.",
            lambda of: bool(of.text),
            lambda of: f"Reason: {ended(' '.join(of.text.split()))}",
            "Reason: More time to submit.",
        ),
        always(
            "version",
            lambda of: (
                f"The new dates apply now, to every team. Version {of.version} of the registered design {of.identifier} contains them."
            ),
            "The new dates apply now, to every team. Version 1.1 of the registered design podium-2026-0001 contains them.",
        ),
    ],
)


def _deadlines(of: OfChange) -> str:
    return "a deadline to a later date" if len(of.moves) == 1 else f"{len(of.moves)} deadlines to later dates"


def _changes(changes: Sequence[Changed]) -> str:
    r"""One line a parameter, with the value before and after.

    Examples
    --------
    >>> _changes([Changed("Number of test cases", "45", "60"), Changed("Award policy", "", "None")])
    '– Number of test cases: “45” → “60”\n– Award policy: nothing → “None”'
    """
    return "\n".join(f"– {each.label}: {_value(each.before)} → {_value(each.after)}" for each in changes)


def _value(text: str) -> str:
    line = " ".join(text.split())
    if not line:
        return "nothing"
    return f"“{line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1].rstrip() + '…'}”"
