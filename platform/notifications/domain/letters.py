"""What messages say: facts in, subject and text out.

The first sentence says what happened, in which challenge and phase; then what it means, and what to do next. The subject
names the challenge, so that a reader of a full inbox knows what it is about. Nothing here looks anything up: whoever calls
decides what its reader may know.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from web.wording import moment_words

MOST_REASONS = 3
LONGEST_VALUE = 160


@dataclass(frozen=True)
class Letter:
    """A message: one line, and a text of paragraphs."""

    subject: str
    text: str


@dataclass(frozen=True)
class Where:
    """A phase as messages name it."""

    challenge: str
    phase: str


@dataclass(frozen=True)
class Changed:
    """A parameter of a design with its value before and after, as the reader may see them."""

    label: str
    before: str
    after: str


def _letter(where: Where, news: str, *paragraphs: str) -> Letter:
    return Letter(f"{where.challenge}: {news}", "\n\n".join(filter(None, paragraphs)))


@dataclass(frozen=True)
class Stands:
    """How a team stands in a ranking, in words that its members may read on the pages as well."""

    rank: str
    could_be: str
    teams: int

    def __str__(self) -> str:
        behind = f" ({self.could_be})" if self.could_be else ""
        return f"{self.rank} of {self.teams}{behind}"


def submission_scored(
    where: Where, *, team: str, number: int, shows_ranking: bool, stands: Stands | None = None
) -> Letter:
    """A submission has its result; no score is ever mailed, since the page shows what it may."""
    if stands is not None:
        return _letter(
            where,
            f"submission {number} of {team} is scored and ranks {stands.rank} of {stands.teams}",
            f"Submission {number} of {team} to {where.phase} of {where.challenge} is scored: you rank {stands}.",
            "Its page shows what you may see of the result, and how far the first is.",
        )
    return _letter(
        where,
        f"submission {number} of {team} is scored",
        f"Submission {number} of {team} to {where.phase} of {where.challenge} is scored.",
        "Its page shows what you may see of the result"
        + (", and how you rank where this is the submission that counts." if shows_ranking else ".")
        + ("" if shows_ranking else " The ranking is sealed, so that nobody sees a rank yet."),
    )


def submission_refused(
    where: Where, *, team: str, number: int, reason: str, reasons: Sequence[str], more: int
) -> Letter:
    """An upload was not taken: why, and the first of what is wrong."""
    return _letter(
        where,
        f"submission {number} of {team} is refused",
        f"Submission {number} of {team} to {where.phase} of {where.challenge} is refused: {_sentence(reason)}",
        _listed(reasons, more),
        "Nothing was scored. Correct the files and upload them again.",
    )


def submission_held(where: Where, *, team: str, number: int, reason: str, reasons: Sequence[str], more: int) -> Letter:
    """An upload has gaps, and its team decides whether it counts as it is."""
    return _letter(
        where,
        f"submission {number} of {team} waits for your decision",
        f"Submission {number} of {team} to {where.phase} of {where.challenge} is not scored yet: {_sentence(reason)}",
        _listed(reasons, more),
        "Decide on its page: have it scored as it is, or withdraw it and upload corrected files.",
    )


def submission_failed(where: Where, *, team: str, number: int, reason: str, again: bool = False) -> Letter:
    """The platform could not score a submission."""
    what = "could not be scored again" if again else "could not be scored"
    return _letter(
        where,
        f"submission {number} of {team} {what}",
        f"Submission {number} of {team} to {where.phase} of {where.challenge} {what}.",
        _sentence(reason) if reason else "",
    )


def phase_opened(where: Where, *, ends: datetime | None) -> Letter:
    """Submissions are taken from now on."""
    until = f" until {moment_words(ends)}" if ends else ", and stay open"
    return _letter(
        where,
        f"{where.phase} is open",
        f"{where.phase} of {where.challenge} is open: predictions are taken from now on{until}.",
        "Get the data and submit on the pages of the challenge.",
    )


def phase_closing(where: Where, *, ends: datetime) -> Letter:
    """The end of a phase is near."""
    return _letter(
        where,
        f"{where.phase} closes {moment_words(ends)}",
        f"{where.phase} of {where.challenge} closes {moment_words(ends)}.",
        "What arrives after the end is not ranked. Your submissions and how many you have left stand on the pages of the challenge.",
    )


def phase_closed(where: Where, *, reveals: datetime | None) -> Letter:
    """A phase is over."""
    return _letter(
        where,
        f"{where.phase} is closed",
        f"{where.phase} of {where.challenge} is closed: no further submissions are ranked.",
        f"The ranking stays sealed until {moment_words(reveals)}." if reveals else "The final ranking is computed now.",
    )


def ranking_public(where: Where, *, sentence: str) -> Letter:
    """A final ranking can be read by everybody; `sentence` is its verdict as the board says it."""
    return _letter(
        where,
        f"the final ranking of {where.phase} is public",
        f"The final ranking of {where.phase} of {where.challenge} is public.",
        sentence,
        "The leaderboard shows how certain each rank is, and what would change it.",
    )


def change_asked(title: str, identifier: str, *, kind: str, changes: Sequence[Changed], next_step: str) -> Letter:
    """Organizers ask for a change of what is registered."""
    return Letter(
        f"{title}: a change of {identifier} is requested",
        "\n\n".join(
            [
                f"The organizers of {title} ask for a {kind} change of the registered design {identifier}.",
                _changes(changes),
                next_step,
            ]
        ),
    )


def change_withdrawn(title: str, identifier: str, *, changes: Sequence[Changed]) -> Letter:
    """A request was taken back; what is registered stays."""
    return Letter(
        f"{title}: the requested change of {identifier} is withdrawn",
        "\n\n".join(
            [
                f"The organizers of {title} have withdrawn their request to change the registered design {identifier}.",
                "The registered values stay. Asked for had been:",
                _changes(changes),
            ]
        ),
    )


def change_objected(title: str, identifier: str, *, text: str, changes: Sequence[Changed]) -> Letter:
    """Somebody who takes part has something against a change."""
    return Letter(
        f"{title}: an objection to a change of {identifier}",
        "\n\n".join(
            [
                f"Somebody who takes part in {title} objects to the requested change of the registered design {identifier}:",
                _value(text),
                "Asked for is:",
                _changes(changes),
                "The objection stands beside the request, and the chairs decide.",
            ]
        ),
    )


def change_decided(
    title: str, identifier: str, *, approved: Sequence[Changed], version: str | None, is_deviation: bool
) -> Letter:
    """A request was decided: what holds from now on."""
    if version is None:
        return Letter(
            f"{title}: no change of {identifier}",
            f"None of the requested changes of {title} was approved; the registered design {identifier} stays as it is.",
        )
    mark = "It is a deviation that was decided after the first submission; it stays marked beside the rankings."
    return Letter(
        f"{title}: {identifier} has changed",
        "\n\n".join(
            filter(
                None,
                [
                    f"Version {version} of the registered design {identifier} of {title} holds since now.",
                    _changes(approved),
                    mark if is_deviation else "",
                ],
            )
        ),
    )


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


def _listed(reasons: Sequence[str], more: int) -> str:
    """The first reasons, one a line, and how many there are besides."""
    shown = [f"– {_sentence(' '.join(reason.split()))}" for reason in reasons[:MOST_REASONS]]
    rest = more + len(reasons) - len(shown)
    if rest:
        shown.append(f"– and {rest} more")
    return "\n".join(shown)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?…" else f"{text}."
