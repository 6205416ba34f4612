"""Facts of acts at random: what becomes of submissions, phases, teams, people, registered designs and reported cases."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from accounts.notifications.domain import (
    letters,
    letters_of_changes,
    letters_of_invitations,
    letters_of_people,
    letters_of_records,
)
from accounts.notifications.domain.acts import Act
from accounts.notifications.domain.letters_of_runs import (
    COMPUTE_TIME,
    WAITING_RUNS,
    WEBHOOK_OFF,
    OfComputeTime,
    OfWaitingRuns,
    OfWebhook,
)

TITLES = ("Liver", "Brain 2026", "Cells: a challenge")
NAMES = ("unet", "voxel-works", "Ada's")
START = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)
Made = tuple[Act[Any], Any]


def acts_of(seed: int) -> list[Made]:
    """One of each act with the facts of a number."""
    random = np.random.default_rng(seed)

    def one(values: tuple[str, ...]) -> str:
        return str(random.choice(values))

    def moment() -> datetime:
        return START + timedelta(minutes=int(random.integers(0, 500_000)))

    makers = (_submissions, _phases, _changes, _people, _records, _invitations)
    return [made for make in makers for made in make(random, one, moment)]


def _submissions(random: np.random.Generator, one: Any, moment: Any) -> list[Made]:
    where = letters.Where(one(TITLES), one(("Final", "Round 2")))
    team, number = one(NAMES), int(random.integers(1, 9))
    reasons = [f"case-{index}: the grid differs" for index in range(int(random.integers(0, 6)))]
    shows = bool(random.random() < 0.6)
    rank = letters.Stands(str(random.integers(1, 4)), one(("", "could be 1–3", "too few cases to say more")), 4)
    stands = rank if shows and random.random() < 0.5 else None
    troubled = letters.OfSubmission(where, team, number, reason="2 cases cannot be read", reasons=reasons)
    return [
        (letters.SCORED, letters.OfSubmission(where, team, number, shows_ranking=shows, stands=stands)),
        (letters.REFUSED, troubled),
        (letters.HELD, troubled),
        (
            letters.FAILED,
            letters.OfSubmission(where, team, number, reason=one(("", "no memory")), again=bool(random.random() < 0.5)),
        ),
        (letters.UNSCORED, letters.OfSubmission(where, team, number, reason="no memory")),
        (
            COMPUTE_TIME,
            OfComputeTime("Liver", "Segmentation", "41.0 h", "50.0 h", is_spent=bool(random.random() < 0.5)),
        ),
        (
            WAITING_RUNS,
            OfWaitingRuns("Liver", "Final", int(random.integers(1, 4)), "No machine runs algorithms at the moment."),
        ),
        (WEBHOOK_OFF, OfWebhook("Liver", "Chat", "The address answered that it is gone (410).")),
        (
            letters.WOULD_BE_OUT,
            letters.OfEntrant(where, team, "The submission is not scored.", ends=moment() if shows else None),
        ),
        (
            letters.UNDESCRIBED,
            letters.OfSubmission(
                where,
                team,
                number,
                occasion=one(("first", "closed")),
                task="Main",
                facts=("Method summary", "Optimizer") if one((True, False)) else (),
                link=one(("", "a link to a paper or preprint")),
            ),
        ),
    ]


def _phases(random: np.random.Generator, one: Any, moment: Any) -> list[Made]:
    where = letters.Where(one(TITLES), one(("Final", "Round 2")))
    return [
        (letters.OPENED, letters.OfPhase(where, ends=moment() if random.random() < 0.7 else None)),
        (letters.CLOSING, letters.OfPhase(where, ends=moment())),
        (letters.CLOSED, letters.OfPhase(where, reveals=moment() if random.random() < 0.5 else None)),
        (letters.PUBLIC, letters.OfPhase(where, sentence="unet leads, but is not shown to be best.")),
    ]


def _changes(random: np.random.Generator, one: Any, _: Any) -> list[Made]:
    changes = [
        letters_of_changes.Changed(f"Parameter {index}", one(("", "45")), one(("", "60", "x" * 300)))
        for index in range(int(random.integers(1, 4)))
    ]
    title, identifier = one(TITLES), f"podium-2026-{int(random.integers(1, 99)):04d}"
    version = str(random.choice(["1.1", "2.0"])) if random.random() < 0.7 else None
    approved = changes[: int(random.integers(1, len(changes) + 1))] if version is not None else []
    decided = letters_of_changes.OfChange(
        title,
        identifier,
        approved,
        refused=changes[len(approved) :],
        version=version,
        is_deviation=version is not None and bool(random.random() < 0.5),
    )
    return [
        (
            letters_of_changes.ASKED,
            letters_of_changes.OfChange(
                title, identifier, changes, kind=one(("critical", "minor")), next_step="A chair decides."
            ),
        ),
        (letters_of_changes.WITHDRAWN, letters_of_changes.OfChange(title, identifier, changes)),
        (letters_of_changes.OBJECTED, letters_of_changes.OfChange(title, identifier, changes, text="Too late.")),
        (letters_of_changes.DECIDED, decided),
        (
            letters_of_changes.EXTENDED,
            letters_of_changes.OfChange(
                title,
                identifier,
                version="1.1",
                text=one(("", "More time to submit")),
                moves=[f"Phase {index}: today → tomorrow" for index in range(int(random.integers(1, 4)))],
            ),
        ),
    ]


def _people(random: np.random.Generator, one: Any, _: Any) -> list[Made]:
    said = letters_of_people
    of = said.OfPerson(
        one(TITLES),
        one(("Ada", "Bob Ray")),
        one(NAMES),
        standing=one(("ranked", "disqualified")),
        reason=one(("", "Two accounts.")),
        role=one(("owner", "manager")),
        words=one(("", "I study livers.")),
        agreed=bool(random.random() < 0.5),
    )
    post = said.OfPost(
        of.challenge, "Orientation", "Which axis is first?", of.actor, is_first=bool(random.random() < 0.5)
    )
    decided = said.OfPerson(of.challenge, agreed=of.agreed, reason="" if of.agreed else "The challenge is full.")
    return [
        (said.REMOVED, of),
        (said.CAPTAIN, of),
        (said.ANSWERED, of),
        (said.STANDING, of),
        (said.ASKS, of),
        (said.JOINED, decided),
        (said.ORGANIZES, of),
        (said.POSTED, post),
        (said.CONTACTED, post),
        (said.ANNOUNCED, post),
    ]


def _records(random: np.random.Generator, one: Any, moment: Any) -> list[Made]:
    said = letters_of_records
    due: date = moment().date()
    record = said.OfRecord(
        one(TITLES),
        f"podium-2026-{int(random.integers(1, 99)):04d}",
        "Call 2026",
        one(("withdrawn", "abandoned")),
        one(("Which scanner was it?", "No data.")),
        due,
    )
    waiting = said.OfRecord(
        record.title, call="Call 2026", due=due, words="submission opens", is_over=bool(random.random() < 0.5)
    )
    filing = said.OfFiling(record.title, "Call 2026", int(random.integers(1, 4)), due="1 June 2026, 12:00 UTC")
    phase = one(("Final", "Round 2"))
    case = said.OfCase(
        record.title, phase, f"case-{int(random.integers(9))}", "the image is damaged", "The left lobe is missing."
    )
    return [
        (said.REGISTERED, record),
        (said.COMMENTED, record),
        (said.COMMENT_ANSWERED, record),
        (said.ENDED, record),
        (said.TO_REGISTER, waiting),
        (said.CHANGES_END, record),
        (said.REPORT_DUE, record),
        (said.FILED, filing),
        (said.DISCUSSED, filing),
        (said.SITE_REGISTERED, said.OfSite(record.title, phase, one(("north", "Site 2")))),
        (said.SITE_REFUSED, said.OfSite(record.title, phase)),
        (said.CASE_REPORTED, case),
        (said.CASE_ANSWERED, replace(case, what=one(("confirmed", "dismissed")))),
    ]


def _invitations(random: np.random.Generator, one: Any, moment: Any) -> list[Made]:
    said = letters_of_invitations
    actor, challenge = one(("Ada", "Bob Ray")), one(TITLES)
    return [
        (
            said.INTO_TEAM,
            said.OfInvitation(actor, one(NAMES), challenge, days=int(random.integers(7, 30)), only_addressee=False),
        ),
        (
            said.INTO_DESIGN,
            said.OfInvitation(
                actor, challenge, role=one(("owner", "editor")), days=int(random.integers(7, 30)), only_addressee=True
            ),
        ),
        (
            said.OF_SITE,
            said.OfInvitation(
                actor,
                one(("north", "Site 2")),
                challenge,
                "Final",
                one(("", "Oslo University Hospital")),
                until=moment(),
            ),
        ),
    ]
