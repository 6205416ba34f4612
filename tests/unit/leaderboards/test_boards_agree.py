"""Stored table, page, answers and CSV file of generated challenges match the ranking document."""

import pytest

from evaluation.analyses import catalogue
from evaluation.boards import COLUMNS, board, build
from evaluation.boards.questions import facts_of, questions
from evaluation.claims.answers import REACH, SURE
from evaluation.claims.ranking import headline_of, sentences_of
from leaderboards.domain.board_files import csv_rows
from tests.claims.attack import case_of

CHALLENGES = range(60)


@pytest.fixture(scope="module")
def boards():
    """Each order of each generated challenge: its entry, the document and the stored table."""
    found = []
    for case in map(case_of, CHALLENGES):
        if case.document is not None:
            table = build(case.document, case.raw.assessment)
            found += [(order, entry, case, table) for order, entry in catalogue.orders_of(case.document, table)]
    return found


def test_the_stored_table_has_the_numbers_of_the_document(boards):
    for order, entry, case, table in boards:
        assert order["headline_so_far"] == headline_of(entry, case.document, closed=False)
        for row in entry["algorithms"]:
            place = table["teams"].index(row["name"])
            low, high = row["rank_set"] or (None, None)
            assert order["rank"][place] == pytest.approx(row["rank"], rel=1e-5)
            assert (order["set_low"][place], order["set_high"][place]) == (low, high)
            assert order["within_reach"][place] == row["within_reach"]
            for key, name in (("share", "share_first"), ("score", "score")):
                expected = row[name]
                assert order[key][place] == (None if expected is None else pytest.approx(expected, rel=1e-5))
            assert table["missing"][place] >= row["missing"] or "over" in entry


def test_the_file_has_the_numbers_of_the_table(boards):
    for order, _, _, table in boards:
        head, *rows = [list(map(str, row)) for row in csv_rows(table)]
        column = head.index(f"{order['key']}:{COLUMNS['rank']}")
        told = {row[head.index("team")].lstrip("'"): row[column] for row in rows}
        assert told == {
            team: "" if rank is None else str(rank) for team, rank in zip(table["teams"], order["rank"], strict=True)
        }


def test_answers_agree_with_the_headline_and_the_sets(boards):
    for order, entry, case, table in boards:
        shown = board(table, by=order["key"])
        said = sentences_of(entry, case.document, closed=case.raw.challenge.closed)
        sure = [sentence.claim for sentence in SURE.all(facts_of(shown))]
        for verdict in ("confirmed", "significant", "clear"):
            assert (f"answers.{verdict}" in sure) == (said[0].claim == f"headline.{verdict}")
        assert "answers.open" not in sure or said[0].claim != "headline.leaning"
        starts_at_one = [row["name"] for row in entry["algorithms"] if (row["rank_set"] or [2])[0] == 1]
        for sentence in REACH.all(facts_of(shown)):
            if sentence.claim == "answers.nobody_within_reach":
                assert starts_at_one == [sentence.removeprefix("Nobody but ").split(":")[0]]
            if sentence.claim == "answers.within_reach":
                assert len(starts_at_one) > 1
                assert all(name in starts_at_one for name in shown.front)
        for row in shown.rows:
            assert row.sentence.startswith(f"{row.team}: rank {row.rank_text}")


def test_every_sentence_stands_under_one_question(boards):
    for order, entry, case, table in boards:
        said = sentences_of(entry, case.document)[1:]
        shown = questions(board(table, by=order["key"]), said, [], hardest=None)
        answers = [answer for question in shown for answer in question.answers]
        for sentence in said:
            assert answers.count(sentence) == 1 or " share rank " in sentence
