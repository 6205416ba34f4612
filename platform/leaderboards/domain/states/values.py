"""Origin of the values of a ranking: a dry run, a measurement outside, or an image of the organizers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, always
from evaluation.wording import joined
from leaderboards.domain.states.catalogue import state


@dataclass(frozen=True)
class DryRun:
    """A phase for trying out."""

    references_public: bool


DRY_RUN: Final[Act[DryRun]] = state(
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


OUTSIDE: Final[Act[Outside]] = state(
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


JUDGED: Final[Act[Judged]] = state(
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
