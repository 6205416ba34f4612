"""What messages say: first what happened and where, then what it means and what to do; the subject names the challenge."""

from datetime import UTC, datetime

import pytest

from notifications.domain import letters

WHERE = letters.Where("Hippocampus 2026", "Final phase")
ENDS = datetime(2027, 1, 21, 23, 59, tzinfo=UTC)
CHANGES = [letters.Changed("Number of test cases", "45", "60"), letters.Changed("Award policy", "", "x" * 500)]
STANDS = letters.Stands("1", "could be 1–2", 12)
LETTERS = [
    letters.submission_scored(WHERE, team="voxel-works", number=3, shows_ranking=True, stands=STANDS),
    letters.submission_scored(WHERE, team="voxel-works", number=3, shows_ranking=True),
    letters.submission_scored(WHERE, team="voxel-works", number=3, shows_ranking=False),
    letters.submission_refused(WHERE, team="voxel-works", number=3, reason="no archive", reasons=["a"], more=0),
    letters.submission_held(WHERE, team="voxel-works", number=3, reason="gaps", reasons=["a"], more=0),
    letters.submission_failed(WHERE, team="voxel-works", number=3, reason=""),
    letters.phase_opened(WHERE, ends=ENDS),
    letters.phase_closing(WHERE, ends=ENDS),
    letters.phase_closed(WHERE, reveals=None),
    letters.ranking_public(WHERE, sentence="unet-b leads."),
    letters.change_asked(
        "Hippocampus 2026", "PDM-2026-1", kind="critical", changes=CHANGES, next_step="A chair decides."
    ),
    letters.change_withdrawn("Hippocampus 2026", "PDM-2026-1", changes=CHANGES),
    letters.change_objected("Hippocampus 2026", "PDM-2026-1", text="Too late", changes=CHANGES),
    letters.change_decided("Hippocampus 2026", "PDM-2026-1", approved=CHANGES, version=2, is_deviation=True),
    letters.change_decided("Hippocampus 2026", "PDM-2026-1", approved=[], version=None, is_deviation=False),
]


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.subject)
def test_subject_and_first_sentence_name_the_challenge(letter):
    assert letter.subject.startswith("Hippocampus 2026: ")
    assert "Hippocampus 2026" in letter.text.partition("\n\n")[0]
    assert "\n" not in letter.subject


@pytest.mark.parametrize("letter", LETTERS[:10], ids=lambda letter: letter.subject)
def test_what_happens_in_a_phase_names_it_in_the_first_sentence(letter):
    assert "Final phase" in letter.text.partition("\n\n")[0]


def test_a_scored_submission_says_its_rank_in_the_first_sentence():
    letter = letters.submission_scored(WHERE, team="voxel-works", number=3, shows_ranking=True, stands=STANDS)
    assert letter.subject == "Hippocampus 2026: submission 3 of voxel-works is scored and ranks 1 of 12"
    assert letter.text.startswith(
        "Submission 3 of voxel-works to Final phase of Hippocampus 2026 is scored: you rank 1 of 12 (could be 1–2)."
    )


def test_a_refusal_gives_its_first_three_reasons_and_counts_the_others():
    letter = letters.submission_refused(
        WHERE,
        team="voxel-works",
        number=3,
        reason="5 cases cannot be read",
        reasons=[f"case {n}: broken" for n in range(5)],
        more=2,
    )
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
    assert "sealed until 21 January 2027, 23:59 UTC" in letters.phase_closed(WHERE, reveals=ENDS).text
    assert "stay open" in letters.phase_opened(WHERE, ends=None).text
