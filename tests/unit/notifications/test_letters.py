"""Messages: first the event and its challenge, then its meaning and the next action.

The subject names the challenge.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from accounts.notifications.domain import letters, letters_of_changes
from tests.claims.act_facts import acts_of

WHERE = letters.Where("Hippocampus 2026", "Final phase")
ENDS = datetime(2027, 1, 21, 23, 59, tzinfo=UTC)
CHANGES = [
    letters_of_changes.Changed("Number of test cases", "45", "60"),
    letters_of_changes.Changed("Award policy", "", "x" * 500),
]
SENT = letters.OfSubmission(WHERE, "voxel-works", 3)
CHANGE = letters_of_changes.OfChange("Hippocampus 2026", "PDM-2026-1", CHANGES)
STANDS = letters.Stands("1", "could be 1–2", 12)
LETTERS = [
    letters.SCORED.letter(replace(SENT, shows_ranking=True, stands=STANDS)),
    letters.SCORED.letter(replace(SENT, shows_ranking=True)),
    letters.SCORED.letter(SENT),
    letters.REFUSED.letter(replace(SENT, reason="no archive", reasons=["a"])),
    letters.HELD.letter(replace(SENT, reason="gaps", reasons=["a"])),
    letters.FAILED.letter(SENT),
    letters.OPENED.letter(letters.OfPhase(WHERE, ends=ENDS)),
    letters.CLOSING.letter(letters.OfPhase(WHERE, ends=ENDS)),
    letters.CLOSED.letter(letters.OfPhase(WHERE)),
    letters.PUBLIC.letter(letters.OfPhase(WHERE, sentence="unet-b leads.")),
    letters_of_changes.ASKED.letter(replace(CHANGE, kind="critical", next_step="A chair decides.")),
    letters_of_changes.WITHDRAWN.letter(CHANGE),
    letters_of_changes.OBJECTED.letter(replace(CHANGE, text="Too late")),
    letters_of_changes.DECIDED.letter(replace(CHANGE, version="1.1", is_deviation=True)),
    letters_of_changes.DECIDED.letter(replace(CHANGE, changes=[], refused=CHANGES)),
    letters_of_changes.EXTENDED.letter(
        replace(CHANGE, version="1.1", text="More time", moves=["Final: 1 May 2027, 23:59 UTC → 8 May 2027, 23:59 UTC"])
    ),
]


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.subject)
def test_subject_and_first_sentence_name_the_challenge(letter):
    assert letter.subject.startswith("Hippocampus 2026: ")
    assert "Hippocampus 2026" in letter.text.partition("\n\n")[0]
    assert "\n" not in letter.subject


@pytest.mark.parametrize("made", acts_of(0), ids=lambda made: type(made[1]).__name__)
def test_every_message_names_what_it_is_about_in_subject_and_first_paragraph(made):
    act, facts = made
    where = getattr(facts, "where", facts)
    about = next(filter(None, (getattr(where, name, "") for name in ("challenge", "title", "about", "into"))))
    letter = act.letter(facts)
    first = letter.text.partition("\n\n")[0]
    assert about in letter.subject
    assert about in first
    assert getattr(where, "phase", "") in first


@pytest.mark.parametrize("letter", LETTERS[:9], ids=lambda letter: letter.subject)
def test_what_happens_in_a_phase_names_it_in_the_first_sentence(letter):
    assert "Final phase" in letter.text.partition("\n\n")[0]


def test_a_scored_submission_says_its_rank_in_the_first_sentence():
    letter = letters.SCORED.letter(replace(SENT, shows_ranking=True, stands=STANDS))
    assert letter.subject == "Hippocampus 2026: submission 3 of voxel-works is scored and ranks 1 of 12"
    assert letter.text.startswith(
        "Submission 3 of voxel-works to Final phase of Hippocampus 2026 is scored: you rank 1 of 12 (could be 1–2)."
    )


def test_a_refusal_gives_its_first_three_reasons_and_counts_the_others():
    findings = [f"case {n}: broken" for n in range(5)]
    letter = letters.REFUSED.letter(replace(SENT, reason="5 cases cannot be read", reasons=findings, more=2))
    assert "is refused: 5 cases cannot be read." in letter.text
    assert [line for line in letter.text.splitlines() if line.startswith("–")] == [
        "– case 0: broken.",
        "– case 1: broken.",
        "– case 2: broken.",
        "– and 4 more",
    ]


def test_a_change_is_told_with_old_and_new_value_and_long_ones_are_cut():
    assert "– Number of test cases: “45” → “60”" in LETTERS[10].text
    assert "– Award policy: nothing → “" in LETTERS[10].text
    assert max(map(len, LETTERS[10].text.splitlines())) < 250


def test_a_sealed_end_says_until_when():
    assert "sealed until 21 January 2027, 23:59 UTC" in letters.CLOSED.letter(letters.OfPhase(WHERE, reveals=ENDS)).text
    assert "There is no deadline." in letters.OPENED.letter(letters.OfPhase(WHERE)).text
