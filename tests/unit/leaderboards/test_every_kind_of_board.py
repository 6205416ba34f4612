"""Leaderboard, API, files and report of every kind of challenge match the ranking document."""

import pytest

from evaluation import boards
from evaluation.assessment import parse
from evaluation.boards.words import span
from evaluation.ranking import rank
from evaluation.ranking.reading import overall
from evaluation.reporting import report_blocks
from leaderboards.domain.board_files import csv_rows
from tests.reading.contests import CONTESTS
from web.spreadsheets import harmless


@pytest.fixture(scope="module", params=CONTESTS)
def ranked(request):
    """The document of a contest, its stored table, and the blocks of its report."""
    contest = CONTESTS[request.param]()
    contest.document["uncertainty"] |= {"bootstrap": 250}
    assessment = parse(contest.document)
    options = {"cases": contest.cases, "evidence": contest.evidence}
    document = rank(assessment, contest.results, **options)
    blocks = report_blocks(assessment, contest.results, **options)
    return document, boards.build(document, assessment), blocks


def entries_of(document):
    return [*overall(document), *document["rankings"]]


def test_board_and_frame_show_sets_letters_and_failures_of_the_document(ranked):
    document, table, _ = ranked
    for order, entry in zip(table["orders"], entries_of(document), strict=True):
        board = boards.board(table, by=order["key"])
        shown = {row.team: row for row in board.rows}
        best = min(row["rank"] for row in entry["algorithms"])
        for algorithm in entry["algorithms"]:
            row, failure = shown[algorithm["name"]], algorithm["failure"]
            assert row.rank == algorithm["rank"]
            assert row.set_text == ("–" if algorithm["rank_set"] is None else span(*algorithm["rank_set"]))
            assert row.letters == algorithm["letters"]
            assert row.in_front == (algorithm["within_reach"] or algorithm["rank"] == best)
            assert row.interval_text == span(*(algorithm["rank_interval"] or (None, None)))
            assert (row.failed, row.failed_of) == (
                (None, None) if failure is None else (failure["failed"], failure["of"])
            )
            assert row.rank_after_failure == algorithm["rank_if_one_more_failed"]
        stated = any(line.claim == "legend.sets" for line in board.legend(0, failures=False))
        assert stated == (entry["sets"]["reason"] is None)


def test_interface_and_file_hold_what_the_document_holds(ranked):
    document, table, _ = ranked
    head, *rows = csv_rows(table)
    by_team = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    for order, entry in zip(table["orders"], entries_of(document), strict=True):
        for name in set(boards.CERTAINTY) - {"sensitivity"}:
            assert order[name] == entry[name], name
        for name in ("head_to_head", "duplicates", "without_duplicates"):
            assert order["sensitivity"][name] == entry["sensitivity"][name]
        for algorithm in entry["algorithms"]:
            row = by_team[harmless(algorithm["name"])]
            low, high = algorithm["rank_set"] or (None, None)
            found = {
                name: row[f"{order['key']}:{name}"] for name in ("rank", "rank_set_low", "rank_set_high", "letters")
            }
            assert found == {
                "rank": algorithm["rank"],
                "rank_set_low": low,
                "rank_set_high": high,
                "letters": algorithm["letters"],
            }


def test_report_shows_the_same_headline_ranks_sets_and_letters(ranked):
    document, table, blocks = ranked
    lead = next(block.text for block in blocks if block.kind == "lead")
    # Both examples are closed or not; but for "so far" the headline of the board is that of the report.
    assert lead.replace(" so far", "") == table["orders"][0]["headline_so_far"].replace(" so far", "")
    shown = [block for block in blocks if block.kind == "table" and "Rank set" in block.columns]
    assert len(shown) == len(entries_of(document))
    for block, entry in zip(shown, entries_of(document), strict=True):
        rows = [dict(zip(block.columns, row, strict=True)) for row in block.rows]
        assert [row["Algorithm"] for row in rows] == [algorithm["name"] for algorithm in entry["algorithms"]]
        for row, algorithm in zip(rows, entry["algorithms"], strict=True):
            assert row["Rank set"] == (span(*algorithm["rank_set"]) if algorithm["rank_set"] else "–")
            assert row["Letters"] == algorithm["letters"]
            assert row["Missing"] == str(algorithm["missing"])
