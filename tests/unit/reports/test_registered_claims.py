"""No sentence about the registered design is false of an entry at random, and a planted one is found."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.designs.catalogue import shipped
from evaluation.designs.document.words import value_words
from reports.domain import registered
from reports.domain.registered import CATALOGUE, Registered, phrase
from tests.claims.phrase_meanings import MEANINGS

ENTRIES = 2_000
WORDS = ("Oslo", "unet", "https://example.org/a", "0.1", "until May", "a page.")


def entry(seed: int) -> Registered:
    """A parameter of the catalogue with a value that the form would take, or declared to be absent."""
    random = np.random.default_rng(seed)
    parameters = [parameter for parameter in shipped().parameters.values() if parameter.type not in ("object", "date")]
    known = {claim.id.split(".")[0] for claim in CATALOGUE.claims.values()}
    parameter = parameters[int(random.integers(len(parameters)))]
    while parameter.id not in known and random.random() < 0.9:
        parameter = parameters[int(random.integers(len(parameters)))]
    if random.random() < 0.1:
        return Registered(parameter.id, is_none=True)
    choices = [choice.value for choice in parameter.choices]
    if parameter.type in ("enum", "multi-enum") and choices:
        number = 1 if parameter.type == "enum" else int(random.integers(1, min(4, len(choices) + 1)))
        chosen = [str(choice) for choice in random.choice(choices, number, replace=False)]
        if "none" in chosen:
            chosen = ["none"]
        value = chosen[0] if parameter.type == "enum" else chosen
    elif parameter.type == "integer":
        value = int(random.integers(0, 9))
    elif parameter.type == "tags":
        value = [str(word) for word in random.choice(WORDS[:4], 2, replace=False)]
    else:
        value = str(random.choice(WORDS))
    values = value if isinstance(value, list) else [value]
    labels = [value_words(parameter, [one] if parameter.type == "multi-enum" else one) for one in values]
    return Registered(parameter.id, value, labels)


@pytest.fixture(scope="module")
def entries():
    return [entry(seed) for seed in range(ENTRIES)]


def wrong(made: Registered) -> list[str]:
    return MEANINGS.false(filter(None, [phrase(made)]), made)


def test_no_sentence_about_an_entry_is_false(entries):
    assert not [(made, found) for made in entries for found in wrong(made)]


def test_every_claim_is_said_of_some_entry(entries):
    said = {sentence.claim for made in entries for sentence in registered.REGISTERED.all(made)[:1]}
    written_out = {
        claim.id for claim in CATALOGUE.claims.values() if claim.id.endswith((".listed", ".value", ".none", ".nothing"))
    }
    assert len(said) > 0.9 * len(CATALOGUE.claims)
    assert len(written_out & said) > 0.9 * len(written_out)


WRONG = {
    "the opposite of what was registered": (
        "incomplete_submissions_allowed.no",
        {"true": lambda made: made.identity == "incomplete_submissions_allowed"},
    ),
    "a plan as if it had been done": (
        "pre_evaluation_method.validation_dataset",
        {"words": lambda _: "Before the final evaluation teams saw results on a validation set."},
    ),
    "test data for training data": (
        "annotation_aggregation_test.consensus",
        {"words": lambda _: "Annotations of training data were merged by consensus of a group."},
    ),
    "another number": ("max_submissions.value", {"words": lambda _: "Submissions that a team could make: 99."}),
    "none as one of several": ("statistical_tests.nothing", {"true": lambda _: False}),
    "silence as absence": (
        "conflicts_of_interest.none",
        {"true": lambda made: made.identity == "conflicts_of_interest"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sentence_is_found(name, entries, monkeypatch):
    identity, parts = WRONG[name]
    monkeypatch.setitem(CATALOGUE.claims, identity, replace(CATALOGUE.claims[identity], **parts))
    assert any(map(wrong, entries))


def test_every_claim_has_a_condition_and_an_example():
    for claim in CATALOGUE.claims.values():
        assert claim.condition.endswith("."), claim.id
        assert claim.example, claim.id
