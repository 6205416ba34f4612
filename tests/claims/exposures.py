"""Facts of challenges at random, as the exposure report gets them: every class of deviation, sealed and public bundles."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from reports.exposure.queries.audience import Audience, Level
from reports.exposure.queries.facts import DesignFacts, Facts, PhaseFacts, RankingFacts

START = datetime(2026, 1, 1, 8, tzinfo=UTC)
REGION = [{"name": "liver", "labels": [1]}]
ASSESSMENTS: tuple[dict[str, Any], ...] = (
    {"problem": "semantic_segmentation", "regions": REGION, "metrics": [{"id": "dsc"}]},
    {
        "problem": "semantic_segmentation",
        "regions": REGION,
        "metrics": [{"id": "dsc", "policy": {"missing": "exclude", "allow_gaming": True}}, {"id": "iou"}],
    },
    {"problem": "image_classification", "metrics": [{"id": "accuracy"}], "ranking": {"scheme": "one_score"}},
    {
        "problem": "object_detection",
        "regions": [{"name": "a", "labels": ["a"]}],
        "metrics": [{"id": "average_precision"}],
    },
    {"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}]},
    {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]},
    {"problem": "external", "metrics": [{"id": "tra", "direction": "higher", "range": [0, 1]}]},
    {"problem": "external", "metrics": [{"id": "rap", "direction": "higher", "range": [0, 1], "level": "dataset"}]},
)
POLICIES: tuple[dict[str, Any], ...] = (
    {},
    {"organizer_participation_policy": "not_allowed"},
    {"results_announcement_policy": "top_three_public"},
    {"results_announcement_policy": "all_public", "organizer_participation_policy": "not_allowed"},
    {"training_data_policy": "challenge_data_only"},
    {"training_data_policy": "no_training_data"},
    {
        "training_data_policy": "public_data_allowed",
        "method_description_requirement": "Two pages, before the deadline.",
    },
    {"test_label_access": [{"who": "Two annotators", "reason": "They drew them."}]},
)


def facts_of(seed: int) -> Facts:
    """The facts of a number."""
    random = np.random.default_rng(seed)

    def moment(low: int, high: int) -> str:
        return (START + timedelta(hours=int(random.integers(24 * low, 24 * high)))).isoformat()

    phases = [_phase(random, number, moment) for number in range(int(random.choice([0, 1, 1, 1, 2, 3])))]
    # Of its own, so that the challenges of all other conclusions stay those that they were.
    running = np.random.default_rng([seed, 17])
    if running.random() < 0.2:
        phases = [replace(phase, runs_algorithms=bool(running.random() < 0.8)) for phase in phases]
    if running.random() < 0.1:
        phases = [replace(phase, assessment=_graded(phase.assessment)) for phase in phases]
    if np.random.default_rng([seed, 19]).random() < 0.25:
        phases = [_of_task(phase) for phase in phases]
    searching = np.random.default_rng([seed, 23])
    phases = [replace(phase, suspects=_suspects(searching)) if searching.random() < 0.2 else phase for phase in phases]
    asking = np.random.default_rng([seed, 29])
    phases = [_asked(phase, asking) if asking.random() < 0.2 else phase for phase in phases]
    log: list[dict[str, Any]] = []
    for phase in phases:
        moved = random.random() < 0.15
        planned = phase.closes_at if not moved else moment(0, 200)
        log.append(
            _logged(len(log), "phase_created", moment(0, 60), phase.pk, opens_at=phase.opens_at, closes_at=planned)
        )
        if random.random() < 0.1:
            log.append(_logged(len(log), "phase_closed", moment(100, 150), phase.pk))
    if running.random() < 0.2:
        log.append(_logged(len(log), "test_set_sealed", moment(0, 60), 0, manifest_digest="9" * 64))
    registered = random.random() < 0.6
    data = {"schema": 1, "catalogue": "1.0.0", "challenge": dict(POLICIES[int(random.integers(len(POLICIES)))])}
    task = {"key": "main"} | ({"annotation_aggregation_test": "majority_vote"} if random.random() < 0.5 else {})
    task |= {"test_data_access": str(running.choice(["hidden", "images_released"]))}
    design = DesignFacts(
        kind="registration" if registered else "design",
        label="Registration podium-2026-0001, version 1.0.0",
        number="1.0.0",
        digest="d" * 64,
        since=moment(0, 90),
        address="",
        data={**data, "tasks": [task]},
    )
    close = int(random.choice([0, 0, 1, 3]))
    return Facts(
        audience=Audience.PUBLIC,
        slug="liver",
        title="Liver",
        summary="",
        attribution="",
        is_public=bool(random.random() < 0.8),
        created=START.isoformat(),
        organizers=[],
        design=design if random.random() < 0.8 else None,
        phases=phases,
        teams=int(random.integers(0, 6)),
        people=int(random.integers(0, 9)),
        organizer_affinity={"members": close + int(random.integers(0, 5)), "close": close, "teams": min(close, 2)},
        reference_access={"seen": int(random.integers(0, 3)), "downloaded": int(random.integers(0, 3)), "people": 1},
        log=log,
    )


def _is_sent(assessment: dict[str, Any]) -> bool:
    """Return whether one value of all cases was measured elsewhere, and submitted with values for resampling."""
    return assessment["metrics"][0].get("level") == "dataset"


def _graded(assessment: dict[str, Any]) -> dict[str, Any]:
    """Return the assessment with cases excluded by a registered grade of quality, if cases can be excluded."""
    if _is_sent(assessment):
        return assessment
    rule = assessment.get("exclusions", {}) | {"quality": {"column": "image_quality", "excluded": ["insufficient"]}}
    return assessment | {"exclusions": rule}


def _of_task(phase: PhaseFacts) -> PhaseFacts:
    """Each second phase is of another task, in which it has the name of the one before it."""
    task = ("main", "other")[phase.pk % 2]
    return replace(phase, task=task, task_name=task.capitalize(), name=f"Phase {phase.pk - phase.pk % 2}")


def _logged(sequence: int, act: str, time: str, phase: int, **more: Any) -> dict[str, Any]:
    facts = {"name": f"Phase {phase}", "assessment_digest": "a" * 64, **more}
    return {"sequence": sequence, "act": act, "time": time, "digest": "e" * 64, "phase": phase, "facts": facts}


def _phase(random: np.random.Generator, number: int, moment: Any) -> PhaseFacts:
    teams = int(random.choice([0, 1, 2, 3, 5]))
    names = [f"Team {letter}" for letter in "ABCDE"[:teams]]
    level = Level.NOTHING if random.random() < 0.15 else Level.ALL
    assessment = ASSESSMENTS[int(random.integers(len(ASSESSMENTS)))]
    if random.random() < 0.15 and not _is_sent(assessment):
        reason = {"case": "case-7", "reason": "reference_error"}
        assessment = assessment | {"exclusions": {"cases": [reason, reason | {"case": "case-8"}][: 1 + number % 2]}}
    ranking = None
    if teams and level is Level.ALL and random.random() < 0.85:
        ranked = names[: teams - (random.random() < 0.15)]
        used = ["a" * 64, *(["b" * 64] if random.random() < 0.1 else [])]
        ranking = RankingFacts(
            pk=number,
            number=1,
            digest="r" * 64,
            since=moment(100, 150),
            cause="score",
            assessment_digest="a" * 64,
            inputs_digest="i" * 64,
            seed=1,
            bootstrap=int(random.choice([0, 1000], p=[0.15, 0.85])),
            cases=40,
            versions={"podium": str(random.choice(["1.0", "1.1"], p=[0.9, 0.1]))},
            document_name="",
            teams=[{"name": name, "result": str(random.integers(1, 4)), "submission": name} for name in ranked],
            standings=len(used),
            assessments_used=used,
            address="",
            sent=("rap",) if _is_sent(assessment) else (),
            drawn_here=not _is_sent(assessment),
        )
    opens, closes = moment(60, 70), moment(90, 140)
    return PhaseFacts(
        pk=number,
        key=f"phase-{number}",
        task="main",
        task_name="Main",
        design_key="main",
        name=f"Phase {number}",
        level=level,
        opens_at=opens,
        closes_at=closes,
        ends_at=closes,
        state="closed",
        counts="last",
        results=str(random.choice(["validation", "cases"])),
        leaderboard=str(random.choice(["sealed", "public"])),
        incomplete_allowed=bool(random.random() < 0.6),
        per_day=int(random.integers(1, 4)) if random.random() < 0.5 else None,
        in_total=int(random.integers(1, 9)) if random.random() < 0.6 else None,
        assessment={"schema": 1, **assessment},
        assessment_digest="a" * 64,
        assessment_address="",
        test_sets=_test_sets(random, moment),
        submitting_teams=teams,
        first_submission=moment(60, 90) if teams else "",
        states={"scored": teams} if level is Level.ALL else {},
        late=int(random.integers(0, 2)) if level is Level.ALL else 0,
        made_by=dict.fromkeys(names, 1) if level is Level.ALL else {},
        ranking=ranking,
        methods=[],
        deviations=_deviations(random),
        assessment_since=moment(0, 90) if random.random() < 0.5 else "",
        bundle_is_public=bool(random.random() < 0.5),
    )


def _asked(phase: PhaseFacts, random: np.random.Generator) -> PhaseFacts:
    """Return a phase whose teams may ask about overlap, with some answers."""
    answers = [{"images": 50 + 50 * number, "answer": 5 * number} for number in range(int(random.integers(0, 4)))]
    return replace(phase, overlap_questions=int(random.integers(1, 4)), overlap_answers=answers)


def _suspects(random: np.random.Generator) -> dict[str, Any]:
    """Return numbers of suspect references and of blinded readings; readers may disagree about a case."""
    examined = int(random.integers(0, 4))
    answers = {"algorithms": 1, "reference": examined} if examined else {}
    return {
        "cases": 40,
        "suspects": int(random.integers(0, 4)),
        "expected_false": 0.12,
        "examined": examined,
        "answers": answers,
    }


def _test_sets(random: np.random.Generator, moment: Any) -> list[dict[str, Any]]:
    several = int(random.choice([0, 1, 2], p=[0.1, 0.75, 0.15]))
    decoys = int(random.choice([0, 10], p=[0.8, 0.2]))
    annotators = int(random.choice([0, 3], p=[0.8, 0.2]))
    moments = sorted(moment(0, 70) for _ in range(several))
    return [
        {
            "version": version,
            "sealed_at": sealed,
            "manifest_digest": f"{version}" * 64,
            "is_active": version == several,
            "cases": 40 + decoys,
            "decoys": decoys,
            "annotators": annotators,
            "merging": "majority vote" if annotators else "",
        }
        for version, sealed in enumerate(moments, 1)
    ]


def _deviations(random: np.random.Generator) -> list[dict[str, Any]]:
    """Return at most one deviation, of a random class.

    The classes are an approved change of the assessment or of the date alone, unregistered and superseded
    changes, and changes of the schedule.
    """
    if random.random() < 0.7:
        return []
    kind = str(random.choice(["approved", "unregistered", "superseded", "schedule"]))
    executed = "b" * 64 if kind in ("unregistered", "superseded") or random.random() < 0.5 else "a" * 64
    found = {
        "kind": kind,
        "what": "Version 1.1.0 changed “Deadline for submissions” after the first submission",
        "reason": "The data came late.",
        "since": START.isoformat(),
        "parameters": ["Deadline for submissions"],
        "registered_digest": "a" * 64,
        "executed_digest": "a" * 64 if kind == "schedule" else executed,
    }
    return [found]


def sealed_away(facts: Facts) -> Facts:
    """Return the facts without anything that only organizers may know."""
    return replace(facts, phases=[replace(phase, level=Level.NOTHING, ranking=None) for phase in facts.phases])
