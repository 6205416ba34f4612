"""No message about a generated act is false, a wrong one that is planted is found, and no app writes its own."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from accounts.notifications.domain.acts import CATALOGUE
from tests.claims.act_facts import acts_of
from tests.claims.act_predicates import false_paragraphs
from tests.sources import nodes

SETS = 200
"""Each with one of every act."""
PLATFORM = Path(__file__).resolve().parents[3] / "platform"
MEANING = "a text is false, or has no meaning: declare it by @means in tests/claims/act_predicates.py or …_of_people.py"
QUOTED = {
    "challenges/services/talking.py": "what organizers announce",
    "accounts/conversations/services.py": "what somebody wrote",
    "accounts/notifications/services/__init__.py": "hands on what it was given",
    "reviews/services/mails.py": "letters of a call, in its chair's own words",
    "reviews/services/messages.py": "what chairs write",
}
"""Modules that pass on text written by people, apart from letters."""


def wrong(sets):
    return [
        paragraph
        for seed in sets
        for act, facts in acts_of(seed)
        for paragraph in false_paragraphs(act.letter(facts), facts)
    ]


def test_no_message_about_an_act_is_false():
    assert not wrong(range(SETS)), f"{MEANING} (docs/development/messages.md)"


def test_every_claim_about_an_act_is_said_and_has_a_condition_and_an_example():
    said = {
        sentence.claim
        for seed in range(40)
        for act, facts in acts_of(seed)
        for sentence in [act.subject.first(facts), *act.text.all(facts)]
    }
    missing = sorted(set(CATALOGUE.claims) - said)
    assert not missing, "add facts of these acts to tests/claims/act_facts.py (docs/development/messages.md)"
    assert said <= set(CATALOGUE.claims)
    for claim in CATALOGUE.claims.values():
        assert claim.condition.endswith("."), claim.id
        assert claim.example, claim.id


WRONG = {
    "a rank of a sealed ranking": ("submission_scored.page", {"true": lambda _: True}),
    "a final ranking that is sealed": ("phase_closed.final", {"true": lambda _: True}),
    "an end of what has none": ("change_decided.deviation", {"true": lambda _: True}),
    "the wrong moment": (
        "phase_closing.news",
        {"words": lambda of: f"{of.place} closes {of.ends:%-d %B %Y, %I:%M} UTC."},
    ),
    "let in who is not": ("join_decided.let_in", {"true": lambda _: True}),
    "one reason too few": (
        "submission_refused.findings",
        {"words": lambda of: "\n".join(f"– {reason}." for reason in of.reasons[:3])},
    ),
    "late before its day": ("registration_due.was_due", {"true": lambda _: True}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_message_is_found_within_200_sets_of_acts(name, monkeypatch):
    identity, parts = WRONG[name]
    monkeypatch.setitem(CATALOGUE.claims, identity, replace(CATALOGUE.claims[identity], **parts))
    assert any(wrong([seed]) for seed in range(SETS))


def own_words(source: str) -> list[int]:
    """Lines of calls of `notify` whose subject or text is not that of a letter."""
    return [
        node.lineno
        for node in nodes(source)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "notify"
        and not all(
            isinstance(given.value, ast.Attribute)
            and isinstance(given.value.value, ast.Name)
            and given.value.value.id == "letter"
            for given in node.keywords
            if given.arg in ("subject", "text")
        )
    ]


def test_whoever_tells_people_of_an_act_sends_a_letter_of_the_catalogue():
    found = {
        path.relative_to(PLATFORM).as_posix()
        for path in PLATFORM.rglob("*.py")
        if own_words(path.read_text(encoding="utf-8"))
    }
    assert found <= set(QUOTED), (
        "declare the text in accounts.notifications.domain, and pass subject=letter.subject, text=letter.text "
        "(docs/development/messages.md)"
    )
    assert own_words("notify(people=people, subject=f'{team} is ranked', text=letter.text)") == [1]
    assert not own_words("notify(people=people, subject=letter.subject, text=letter.text)")
