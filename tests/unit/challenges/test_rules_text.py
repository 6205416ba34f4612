"""The rules that participants accept: whole sentences, from the facts of the rules table, for all kinds of designs."""

import json
import random
import re
from pathlib import Path

import pytest
from django.conf import settings

from challenges.models import Phase
from challenges.queries.composed_rules import (
    REGISTERED,
    PhaseRules,
    as_sentences,
    composed_rules,
    rules_of_phase,
    rules_text,
)
from challenges.queries.planning import PhasePlan, plan
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json

EXAMPLES = sorted(Path(settings.ROOT, "evaluation", "designs", "examples").glob("*.json"))
CHALLENGES = sorted(Path(settings.ROOT, "examples").glob("*/challenge.json"))
MOST_WORDS = 25
DOUBLED = re.compile(r"[.,;:!?…][.,;:]|[!?]{2}|\s[.,;:!?]|,\.")
MARKUP = re.compile(r"\*|`|\]\(|(?<!\w)__|<[a-z/]|^#|^- ", re.MULTILINE)
# What organizers write into free fields.
WRITTEN = (
    *("", "see **the page** of the challenge", "One;", "two teams , at most .", "Really?. Yes", "e.g. `nnU-Net`..."),
    *(
        "- first\n- second",
        "As agreed (see above).",
        "no limit;; ask us!!",
        "# Heading\n\ntext",
        "“quoted.”",
        "3 per team",
    ),
    *("A [link](https://example.org/rules) to the rules", "Größe: 5 <b>cm</b>", "  spaces   everywhere  ", "etc.."),
)


def flaws(text: str) -> list[str]:
    """Return what is malformed in a composed text."""
    found = [
        f"{kind}: {match[0]!r}"
        for kind, pattern in (("doubled", DOUBLED), ("markup", MARKUP))
        if (match := pattern.search(text))
    ]
    for paragraph in text.split("\n\n"):
        if not re.search(r"[.!?…][\"'”’)\]]?$", paragraph):
            found.append(f"no end: {paragraph!r}")
        if paragraph[:1] != paragraph[:1].upper():
            found.append(f"small letter: {paragraph!r}")
    return found


def generated(seed: int) -> tuple[list[PhaseRules], dict]:
    """Return random phases and random registered values of a design."""
    draw = random.Random(seed)
    phases = [
        PhaseRules(
            f"Phase {number}",
            *_limits(draw),
            draw.choice([str(label) for label in Phase.Counts.labels]),
            draw.random() < 0.5,
            draw.choice([None, 1, 3]),
        )
        for number in range(draw.randint(0, 3))
    ]
    values = {}
    for identity, _ in REGISTERED:
        parameter = shipped()[identity]
        if draw.random() < 0.2:
            values[f"{identity}__state"] = draw.choice(
                [{"state": "none_declared"}, {"state": "not_applicable", "reason": "No"}]
            )
            continue
        choices = [choice.value for choice in parameter.choices]
        if parameter.type == "multi-enum":
            values[identity] = draw.sample(choices, draw.randint(1, len(choices)))
        elif choices:
            values[identity] = draw.choice([*choices, {"other": draw.choice(WRITTEN[1:])}])
        else:
            values[identity] = draw.choice(WRITTEN[1:])
        if draw.random() < 0.5:
            values[f"{identity}__details"] = draw.choice(WRITTEN[1:])
    return phases, values


def _limits(draw: random.Random) -> tuple[str]:
    plan = type("Limits", (), {})()
    plan.submissions_per_day = draw.choice([None, 1, 5])
    plan.submissions_in_total = draw.choice([None, 1, 20])
    plan.counts, plan.incomplete_allowed = "last", True
    return (rules_of_phase(plan, "").limits,)


def read(challenge: dict):
    data = {"schema": 1, "catalogue": "1.0.0", "challenge": challenge, "tasks": []}
    return from_json(data, catalogue=shipped(), lenient=True)[0]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_rules_of_the_example_designs_are_well_formed(path):
    document, _ = from_json(json.loads(path.read_text(encoding="utf-8")), catalogue=shipped(), lenient=True)
    rules = composed_rules([], document.without_secrets().values())
    assert rules
    assert flaws(rules_text(rules)) == []


@pytest.mark.parametrize("path", CHALLENGES, ids=lambda path: path.parent.name)
def test_rules_of_the_example_challenges_are_well_formed(path):
    text = json.loads(path.read_text(encoding="utf-8")).get("rules_text")
    if text:
        assert [flaw for flaw in flaws(text) if flaw.startswith("doubled")] == []


@pytest.mark.parametrize("seed", range(200))
def test_rules_of_generated_designs_are_well_formed(seed):
    phases, values = generated(seed)
    rules = composed_rules(phases, read(values).values())
    assert flaws(rules_text(rules)) == [] or not rules


def test_generated_sentences_are_short():
    for seed in range(200):
        phases, values = generated(seed)
        written = {
            key for key, value in values.items() if isinstance(value, str) and not shipped()[key.split("__")[0]].choices
        }
        questions = dict(REGISTERED)
        for rule in composed_rules(phases, read(values).values()):
            if rule.question in {questions.get(key) for key in written}:
                continue
            for sentence in re.split(r"(?<=[.?!]) ", f"{rule.question} {as_sentences(rule.answer)}"):
                assert len(sentence.split()) <= MOST_WORDS, sentence


@pytest.mark.parametrize("name", ["hippocampus", "nuclei"])
def test_numbers_of_the_text_are_those_of_the_table_and_of_the_phases(name):
    from tests.unit.challenges.test_executed_choices import DATES

    data = json.loads(
        Path(settings.ROOT, "evaluation", "designs", "examples", f"{name}.json").read_text(encoding="utf-8")
    )
    data["challenge"]["challenge_schedule"] = DATES
    planned = plan(from_json(data, catalogue=shipped(), lenient=True)[0])
    phases: list[PhasePlan] = [phase for task in planned.tasks for phase in task.phases]
    table = composed_rules([rules_of_phase(phase, phase.name) for phase in phases], None)
    paragraphs = planned.rules_text.split("\n\n")
    assert paragraphs[: len(table)] == [rule.text for rule in table]
    told = {
        label: (int(per_day) if per_day else None, int(total) if total else None)
        for label, per_day, total in re.findall(
            r"(\w+ phase): (?:(\d+) per day)?(?:, )?(?:(\d+) in total)?\.", paragraphs[0]
        )
    }
    assert told == {phase.name: (phase.submissions_per_day, phase.submissions_in_total) for phase in phases}
    assert "(re-)submissions" not in planned.rules_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("accepted?. Yes", "Accepted? Yes."),
        ("see **here**..", "See here."),
        ("and so on...", "And so on…"),
        ("“Fine.”", "“Fine.”"),
        (" ,;", ""),
        ("", ""),
    ],
)
def test_texts_become_sentences(text, expected):
    assert as_sentences(text) == expected
