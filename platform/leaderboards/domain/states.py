"""What pages of a leaderboard say of its state: sealed, frozen, empty, on its way, of an earlier test set. Facts in, sentences out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from evaluation.claims.catalogue import Catalogue
from evaluation.wording import counted, joined
from notifications.domain.acts import Act, Letter, Paragraph, act, always
from web.wording import moment_words

__all__ = ["Letter"]
CATALOGUE: Final = Catalogue()
"""The claims about states of a leaderboard."""


def _state(name: str, titles: list[Paragraph], paragraphs: list[Paragraph]) -> Act[Any]:
    return act(name, titles, paragraphs, CATALOGUE)


# No ranking is there


@dataclass(frozen=True)
class Empty:
    """A leaderboard that a person may see, without a ranking.

    Attributes
    ----------
    opens, ends
        When the phase opens, where it has not yet; when it closes or has closed, where it does.
    is_frozen
        Whether the person sees it as it stood before the end, when there was no ranking.
    is_computing
        Whether a ranking is due.
    nothing_counts
        Whether a ranking was asked for, and no submission counts in it.
    under_way
        Submissions that are neither scored nor refused yet.
    runs
        Whether algorithms are handed in.
    """

    opens: datetime | None = None
    ends: datetime | None = None
    is_closed: bool = False
    is_frozen: bool = False
    is_computing: bool = False
    nothing_counts: bool = False
    under_way: int = 0
    runs: bool = False


def _on_their_way(of: Empty) -> str:
    steps = "run, checked and scored" if of.runs else "checked and scored"
    verb = "is" if of.under_way == 1 else "are"
    return f"{counted(of.under_way, 'submission')} to this phase {verb} being {steps}. The ranking appears with the first score."


EMPTY: Final[Act[Empty]] = _state(
    "empty",
    [
        Paragraph(
            "computing",
            "A ranking is due.",
            lambda of: of.is_computing,
            lambda _: "The ranking is being computed",
            "The ranking is being computed",
        ),
        Paragraph(
            "frozen",
            "It is frozen at a moment when there was no ranking.",
            lambda of: of.is_frozen,
            lambda _: "There was no ranking when it was frozen",
            "There was no ranking when it was frozen",
        ),
        Paragraph(
            "nothing_counts",
            "No submission counts.",
            lambda of: of.nothing_counts,
            lambda _: "No team is ranked",
            "No team is ranked",
        ),
        Paragraph(
            "under_way",
            "Submissions are on their way.",
            lambda of: of.under_way > 0,
            lambda _: "The first submissions are on their way",
            "The first submissions are on their way",
        ),
        Paragraph(
            "closed",
            "The phase is closed, and nothing is on its way.",
            lambda of: of.is_closed,
            lambda _: "No team was scored",
            "No team was scored",
        ),
        always("nobody", lambda _: "No team has been scored yet", "No team has been scored yet"),
    ],
    [
        Paragraph(
            "soon",
            "A ranking is due.",
            lambda of: of.is_computing,
            lambda _: "It stands here as soon as it is computed.",
            "It stands here as soon as it is computed.",
        ),
        Paragraph(
            "since",
            "It is frozen at a moment when there was no ranking.",
            lambda of: not of.is_computing and of.is_frozen,
            lambda of: (
                f"What has been scored since is shown to everybody when the phase closes, on {moment_words(of.ends)}."
            ),
            "What has been scored since is shown to everybody when the phase closes, on 21 January 2027, 23:59 UTC.",
        ),
        Paragraph(
            "none_counts",
            "No submission counts.",
            lambda of: not of.is_computing and not of.is_frozen and of.nothing_counts,
            lambda _: (
                "No submission counts: none was scored, or all that were are left out by the rules of the phase. Those are "
                "submissions that came late or were withdrawn, and those of teams that are disqualified, take part without a rank, "
                "or lack the description of their method."
            ),
            "No submission counts: none was scored, or all that were are left out by the rules of the phase.",
        ),
        Paragraph(
            "on_their_way",
            "Submissions are on their way.",
            lambda of: _waits(of) and of.under_way > 0,
            _on_their_way,
            "2 submissions to this phase are being checked and scored. The ranking appears with the first score.",
        ),
        Paragraph(
            "opens",
            "The phase has not opened.",
            lambda of: _waits(of) and not of.under_way and of.opens is not None,
            lambda of: (
                f"The phase opens on {moment_words(of.opens)}. The ranking appears with the first scored submission."
            ),
            "The phase opens on 1 January 2027, 12:00 UTC. The ranking appears with the first scored submission.",
        ),
        Paragraph(
            "ended",
            "The phase is closed, and nothing is on its way.",
            lambda of: _waits(of) and not of.under_way and of.is_closed,
            lambda of: f"The phase closed on {moment_words(of.ends)} without a scored submission.",
            "The phase closed on 21 January 2027, 23:59 UTC without a scored submission.",
        ),
        Paragraph(
            "open",
            "The phase is open, and nothing is on its way.",
            lambda of: _waits(of) and not of.under_way and of.opens is None and not of.is_closed,
            lambda _: "The ranking appears with the first scored submission.",
            "The ranking appears with the first scored submission.",
        ),
    ],
)


def _waits(of: Empty) -> bool:
    return not (of.is_computing or of.is_frozen or of.nothing_counts)


# Not everybody sees everything


@dataclass(frozen=True)
class Sealed:
    """A ranking that only the organizers see.

    Attributes
    ----------
    until
        When it opens to everybody.
    later
        Whether that is a date of release after the phase has closed.
    own_scores
        Whether teams see their own scores before.
    submitted
        Teams that have submitted.
    """

    until: datetime
    later: bool = False
    own_scores: bool = False
    submitted: int = 0

    @property
    def opens(self) -> str:
        """When it opens."""
        return f"{'results are released' if self.later else 'the phase closes'}, on {moment_words(self.until)}"


SEALED: Final[Act[Sealed]] = _state(
    "sealed",
    [always("title", lambda _: "This ranking is sealed", "This ranking is sealed")],
    [
        always(
            "opens",
            lambda of: f"It opens when {of.opens}, for everybody at the same moment.",
            "It opens when the phase closes, on 21 January 2027, 23:59 UTC, for everybody at the same moment.",
        ),
        Paragraph(
            "nobody",
            "Teams do not see their own scores before.",
            lambda of: not of.own_scores,
            lambda _: (
                "Until then nobody but the organizers sees scores or ranks, so that nobody can tune a submission to them."
            ),
            "Until then nobody but the organizers sees scores or ranks, so that nobody can tune a submission to them.",
        ),
        Paragraph(
            "own",
            "Teams see their own scores before.",
            lambda of: of.own_scores,
            lambda _: "Until then a team sees its own scores alone, and nobody but the organizers sees ranks.",
            "Until then a team sees its own scores alone, and nobody but the organizers sees ranks.",
        ),
        Paragraph(
            "submitted",
            "A team has submitted.",
            lambda of: of.submitted > 0,
            lambda of: f"{counted(of.submitted, 'team')} {'has' if of.submitted == 1 else 'have'} submitted so far.",
            "3 teams have submitted so far.",
        ),
        Paragraph(
            "none",
            "No team has submitted.",
            lambda of: not of.submitted,
            lambda _: "No team has submitted yet.",
            "No team has submitted yet.",
        ),
    ],
)
SEALED_FOR_OTHERS: Final[Act[Sealed]] = _state(
    "sealed_for_others",
    [
        always(
            "title",
            lambda _: "Sealed: you see this as an organizer",
            "Sealed: you see this as an organizer",
        )
    ],
    [
        always(
            "opens",
            lambda of: (
                "Teams and the public see only how many teams have submitted. The ranking opens to everybody when "
                f"{of.opens}."
            ),
            "Teams and the public see only how many teams have submitted. The ranking opens to everybody when the phase closes, on 21 January 2027, 23:59 UTC.",
        )
    ],
)


@dataclass(frozen=True)
class Frozen:
    """A public ranking that stands still until the end of its phase."""

    at: datetime
    ends: datetime
    sees_all: bool = False


FROZEN: Final[Act[Frozen]] = _state(
    "frozen",
    [
        Paragraph(
            "for_others",
            "The person sees newer rankings.",
            lambda of: of.sees_all,
            lambda _: "Frozen for the public: you see the ranking as it is, as an organizer",
            "Frozen for the public: you see the ranking as it is, as an organizer",
        ),
        always(
            "title",
            lambda of: f"Frozen: this is the ranking as it stood on {moment_words(of.at)}",
            "Frozen: this is the ranking as it stood on 20 January 2027, 12:00 UTC",
        ),
    ],
    [
        Paragraph(
            "others",
            "The person sees newer rankings.",
            lambda of: of.sees_all,
            lambda of: (
                f"Teams and the public see it as it stood on {moment_words(of.at)}, until the phase closes on "
                f"{moment_words(of.ends)}."
            ),
            "Teams and the public see it as it stood on 20 January 2027, 12:00 UTC, until the phase closes on 21 January 2027, 23:59 UTC.",
        ),
        Paragraph(
            "newer",
            "The person does not see newer rankings.",
            lambda of: not of.sees_all,
            lambda of: (
                "Submissions are still taken and scored. Newer rankings are shown to everybody when the phase closes, on "
                f"{moment_words(of.ends)}."
            ),
            "Submissions are still taken and scored. Newer rankings are shown to everybody when the phase closes, on 21 January 2027, 23:59 UTC.",
        ),
    ],
)


@dataclass(frozen=True)
class Named:
    """Which teams are named in public, where not all are.

    Attributes
    ----------
    policy
        The registered policy in words.
    ranks
        Up to which rank, where the policy is about the first ones.
    waits
        Whether nobody is named before the phase has closed.
    """

    policy: str
    ranks: int | None = None
    waits: bool = False


NAMED: Final[Act[Named]] = _state(
    "named",
    [always("title", lambda _: "Not every team is named", "Not every team is named")],
    [
        always(
            "policy",
            lambda of: (
                f"By the registered design these are named in public: {of.policy}"
                + (f" up to rank {of.ranks}" if of.ranks else "")
                + (", once the phase has closed" if of.ranks and of.waits else "")
                + ". All others stand here, in the exports and in the bundle under a pseudonym."
            ),
            "By the registered design these are named in public: teams on the first ranks up to rank 3. All others stand here, in the exports and in the bundle under a pseudonym.",
        )
    ],
)


# What the values are


@dataclass(frozen=True)
class DryRun:
    """A phase for trying out."""

    references_public: bool


DRY_RUN: Final[Act[DryRun]] = _state(
    "dry_run",
    [always("title", lambda _: "This is a dry run", "This is a dry run")],
    [
        Paragraph(
            "public",
            "Its references are public.",
            lambda of: of.references_public,
            lambda _: (
                "Its references are public, so this ranking shows how the challenge works and nothing about who is best."
            ),
            "Its references are public, so this ranking shows how the challenge works and nothing about who is best.",
        ),
        Paragraph(
            "hidden",
            "They are not.",
            lambda of: not of.references_public,
            lambda _: "Its ranking is for trying out; no final rank depends on it.",
            "Its ranking is for trying out; no final rank depends on it.",
        ),
    ],
)


@dataclass(frozen=True)
class Outside:
    """Tables of values that were measured outside Podium: by whom, with what, when, and which version of the tables."""

    tables: Sequence[tuple[str, str, str, int]]


OUTSIDE: Final[Act[Outside]] = _state(
    "outside",
    [always("title", lambda _: "Values measured outside Podium", "Values measured outside Podium")],
    [
        Paragraph(
            "one",
            "All values are from one table.",
            lambda of: len(of.tables) == 1,
            lambda of: (
                "By {}, with {}, {}. The organizers brought them as a table (version {}); they are ranked here by the registered "
                "assessment.".format(*of.tables[0])
            ),
            "By a core lab, with calipers, March 2026. The organizers brought them as a table (version 1); they are ranked here by the registered assessment.",
        ),
        Paragraph(
            "several",
            "Values are from several tables.",
            lambda of: len(of.tables) > 1,
            lambda of: (
                f"The organizers brought them as {len(of.tables)} tables; they are ranked here by the registered assessment."
            ),
            "The organizers brought them as 2 tables; they are ranked here by the registered assessment.",
        ),
    ],
)


@dataclass(frozen=True)
class Judged:
    """Metrics that an image of the organizers computes, and the day on which it passed its checks."""

    metrics: Sequence[str]
    tried_on: str


JUDGED: Final[Act[Judged]] = _state(
    "judged",
    [always("title", lambda _: "Scored by an image of the organizers", "Scored by an image of the organizers")],
    [
        always(
            "metrics",
            lambda of: (
                f"{joined(list(of.metrics))}: computed by the scoring image below, which passed its checks on {of.tried_on}, and not by "
                "a metric of Podium."
            ),
            "Agreement: computed by the scoring image below, which passed its checks on 2026-11-20, and not by a metric of Podium.",
        )
    ],
)


# Where a team stands


@dataclass(frozen=True)
class Stands:
    """How a team stands in a ranking, on the page of one of its submissions.

    Attributes
    ----------
    team
        Its name; empty where its members read.
    rank, teams
        Of how many.
    could_be
        Between which ranks it truly may lie, in words; empty where that is not known.
    is_this
        Whether the submission is the one that counts.
    """

    rank: str
    teams: int
    team: str = ""
    could_be: str = ""
    is_this: bool = True


def _rank_of(of: Stands, you: str) -> str:
    behind = f" ({of.could_be})" if of.could_be else ""
    return (
        f"{of.team} ranks {of.rank} of {of.teams}{behind}" if of.team else f"{you} rank {of.rank} of {of.teams}{behind}"
    )


STANDS: Final[Act[Stands]] = _state(
    "stands",
    [
        Paragraph(
            "by_this",
            "The submission is the one that counts.",
            lambda of: of.is_this,
            lambda of: _rank_of(of, "You"),
            "You rank 3 of 12 (could be 2–4)",
        ),
        always(
            "by_another",
            lambda of: f"By another submission, {_rank_of(of, 'you')}",
            "By another submission, you rank 3 of 12 (could be 2–4)",
        ),
    ],
    [],
)


# A test set that was replaced


@dataclass(frozen=True)
class Repeated:
    """How far scoring again is after a test set was replaced: see `submissions.queries.versions.Rescoring`."""

    standing: int
    wanted: int
    done: int
    total: int
    failed: int = 0
    organizes: bool = False


REPEATED: Final[Act[Repeated]] = _state(
    "repeated",
    [
        always(
            "title",
            lambda of: (
                f"The test set was replaced: {of.done} of {counted(of.total, 'submission')} {'is' if of.done == 1 else 'are'} re-scored "
                f"against version {of.wanted}"
            ),
            "The test set was replaced: 3 of 5 submissions are re-scored against version 2",
        )
    ],
    [
        Paragraph(
            "until",
            "Not every submission has failed.",
            lambda of: of.failed < of.total,
            lambda of: (
                f"Until each is scored or has failed, rankings are of version {of.standing} of the test set; the two are never mixed."
            ),
            "Until each is scored or has failed, rankings are of version 1 of the test set; the two are never mixed.",
        ),
        Paragraph(
            "stays",
            "Every submission has failed.",
            lambda of: of.failed >= of.total,
            lambda of: (
                f"Until one is scored, rankings are of version {of.standing} of the test set; the two are never mixed."
            ),
            "Until one is scored, rankings are of version 1 of the test set; the two are never mixed.",
        ),
        Paragraph(
            "failed",
            "Some failed, and the person organizes.",
            lambda of: of.organizes and of.failed > 0,
            lambda of: f"{of.failed} could not be scored.",
            "1 could not be scored.",
        ),
    ],
)


@dataclass(frozen=True)
class LeftOut:
    """Teams that are not in a ranking, since scoring them against a version of the test set failed."""

    teams: int
    version: int


LEFT_OUT: Final[Act[LeftOut]] = _state(
    "left_out",
    [
        always(
            "title",
            lambda of: (
                f"{counted(of.teams, 'team')} {'is' if of.teams == 1 else 'are'} not in this ranking: scoring against version "
                f"{of.version} of the test set failed"
            ),
            "1 team is not in this ranking: scoring against version 2 of the test set failed",
        )
    ],
    [],
)
