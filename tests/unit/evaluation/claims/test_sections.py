"""Report sections next to figures and tables: true of generated challenges, and in readable English."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.claims.catalogue import CATALOGUE
from evaluation.claims.group_leads import group_lead
from evaluation.claims.sections import (
    FOLDED,
    GROUPS_NOT_RANKED,
    LEADS_BY_GROUP,
    LEFT_OUT,
    ONE_OF_GROUPS,
    SHOWN_GROUPS,
    VALUES,
    Folded,
    Groups,
    LeftOut,
    NotRanked,
    OneOfGroups,
    Values,
)
from evaluation.reporting import report_blocks
from tests.claims.attack import case_of
from tests.claims.said_in_sections import false_in_report, false_sentences, report_of
from tests.sizes import size

CHALLENGES = size((*range(20), 23, 41, 45, 51, 54, 108, 117), range(120))
LARGE = size((80_000_007, 80_000_010, 80_000_037), range(80_000_000, 80_000_040))


@pytest.fixture(scope="module")
def cases():
    made = [*(case_of(seed) for seed in CHALLENGES), *(case_of(seed, large=True) for seed in LARGE)]
    return [case for case in made if case.document is not None]


@pytest.fixture(scope="module")
def reports(cases):
    """Return each case with the sentences of its report."""
    return [(case, report_of(case.raw, case.document)) for case in cases]


def test_no_sentence_of_a_report_is_false(reports):
    assert not [
        (case.seed, sentence)
        for case, report in reports
        for sentence in false_sentences(case.raw, case.document, report)[0]
    ]


def test_what_is_said_beside_figures_and_tables_is_said_of_some_challenge(reports):
    said = {getattr(sentence, "claim", "") for _, report in reports for _, sentence in report}
    # Of tables that lack rows, reports of the first ranks, and more groups than a table holds, and leads in large groups: the
    # examples below.
    others = {
        "sections.leads_by_group",
        "sections.groups_are_exploratory",
        "sections.inserted",
        "sections.one_of_groups",
        "sections.top",
        "sections.groups_shown",
        "sections.groups_folded",
    }
    assert {name for name in CATALOGUE.claims if name.startswith("sections.")} - others <= said


WRONG = {
    "the algorithms of other rankings": lambda facts: (
        f"{len(facts.entry['algorithms']) + 1} algorithms on {facts.entry['cases']} cases; values without a number: none."
    ),
    "cases that are not there": lambda facts: (
        f"{len(facts.entry['algorithms'])} algorithms on {facts.entry['cases'] + 1} cases; values without a number: none."
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sentence_is_found(name, cases, monkeypatch):
    monkeypatch.setitem(
        CATALOGUE.claims, "sections.values", replace(CATALOGUE.claims["sections.values"], words=WRONG[name])
    )
    assert any(false_in_report(case.raw, case.document)[0] for case in cases[:20])


def test_counts_agree_with_their_nouns():
    assert LEFT_OUT.all(LeftOut(top=1)) == [
        "Shown are the algorithms of the first rank; ranks and intervals are those of the whole field."
    ]
    assert LEFT_OUT.all(LeftOut(podium=(151, 1))) == [
        "A podium plot is left out: 151 cases of 1 algorithm could not be read."
    ]
    entry = {
        "algorithms": [{"outcomes": {"ok": 3, "missing": 1}}],
        "cases": 1,
        "inserted": [{"case": "a", "algorithm": "b"}],
    }
    assert VALUES.all(Values(entry)) == [
        "1 algorithm on 1 case; values without a number: missing 1.",
        "1 pair of case and algorithm without a row was inserted as missing.",
    ]


def test_groups_that_are_small_or_beyond_a_number_are_counted():
    assert GROUPS_NOT_RANKED.all(NotRanked(0, 0, fewest=5, most=100)) == []
    assert GROUPS_NOT_RANKED.all(NotRanked(2, 3, fewest=5, most=100)) == [
        "Groups not ranked: 2 with fewer than 5 cases and 3 beyond the 100 with most cases."
    ]
    assert FOLDED.all(Folded(10, 10)) == []
    assert FOLDED.all(Folded(12, 10)) == [
        "12 groups, ordered by how far the ranks change; 2 that change less are folded."
    ]


def ranked_in_groups(shift, units=30):
    """Report of two teams on two scanners, whose gap differs between the scanners."""
    generator = np.random.default_rng(2)
    cases = [f"case {number:02d}" for number in range(2 * units)]
    scanner = np.repeat(["A", "B"], units)
    level = generator.normal(0.7, 0.05, 2 * units)
    gap = np.where(scanner == "A", shift[0], shift[1])
    values = {"unet": level + gap, "vnet": level + generator.normal(0, 0.02, 2 * units)}
    rows = [(name, case, value) for name in values for case, value in zip(cases, values[name], strict=True)]
    assessment = parse(
        {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}], "uncertainty": {"bootstrap": 200}}
    )
    results = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    metadata = pd.DataFrame({"case": cases, "scanner": scanner})
    return report_blocks(assessment, results, cases=metadata, subgroups=["scanner"])


def test_first_places_in_groups_have_the_interval_of_the_lead():
    [table] = [
        block
        for block in ranked_in_groups((0.03, 0.002))
        if block.kind == "table" and block.text.startswith("First places")
    ]
    by_group = {str(row[0]): list(map(str, row)) for row in table.rows}
    assert by_group["A"][1:4] == ["30", "unet ranks first", "vnet"]
    for row in by_group.values():
        low, high = re.search(r"ahead \(95 % interval (\S+) to (\S+)\)", row[4]).groups()
        assert float(low.replace("−", "-")) < float(high.replace("−", "-"))
    assert float(re.search(r"interval (\S+) to", by_group["B"][4])[1].replace("−", "-")) < 0
    assert by_group["B"][2] in ("unet ranks first", "vnet ranks first")


def test_a_clear_lead_in_a_group_is_no_confirmed_or_significant_one():
    blocks = ranked_in_groups((0.3, 0.3))
    start = next(
        at for at, block in enumerate(blocks) if block.kind == "heading" and block.text.startswith("Groups by")
    )
    texts = " ".join(str(text) for block in blocks[start:] for text in (block.text, *(block.rows or ())))
    assert "Rankings of groups are exploratory" in texts
    assert "unet ranks first" in texts
    assert not re.search(r"significant|confirmed|is the winner", texts)


@pytest.mark.parametrize(("method", "words"), [("sign_flips", ""), ("draws", "approximately ")])
def test_an_interval_from_draws_is_called_approximate_in_a_group(method, words):
    entry = {
        "metric": "dsc",
        "algorithms": [{"name": name, "within_reach": True} for name in ("unet", "vnet")],
        "winners": ["unet"],
        "winner": {"named": False, "reason": "exploratory"},
        "sets": {"reason": None, "method": method},
        "verdict": None,
        "margin": None,
        "lead": {"over": "vnet", "estimate": 0.03, "interval": [0.01, 0.07], "level": 0.95},
    }
    lead = group_lead(entry)
    assert lead.first_text == "unet ranks first"
    assert lead.lead_text == f"0.030 ahead (95 % interval {words}0.010 to 0.070)"


def test_no_winner_is_named_in_groups_without_an_interval():
    [table] = [
        block
        for block in ranked_in_groups((0.03, 0.03), units=5)
        if block.kind == "table" and block.text.startswith("First places")
    ]
    assert [list(map(str, row[2:])) for row in table.rows] == [["not named", "–", "none"]] * 2
    assert LEADS_BY_GROUP.first(Groups({"a": 5, "b": 6}, 0, shown=2)).startswith(
        "Each group is ranked separately. No lead has an interval here"
    )


def test_the_ranking_of_one_of_several_groups_is_not_adjusted_for_their_number():
    assert ONE_OF_GROUPS.all(OneOfGroups("site", 1)) == []
    assert ONE_OF_GROUPS.all(OneOfGroups("site", 3)) == [
        (
            "This is one of 3 ranked groups by site. Rankings of groups are exploratory: rank sets and intervals are not adjusted for the "
            "number of groups, and with many groups, some leads can be due to chance."
        )
    ]


def test_a_table_of_some_groups_says_how_many_more_there_are():
    groups = Groups({f"site {number}": 5 for number in range(14)}, 0, shown=10)
    assert SHOWN_GROUPS.all(groups) == [
        "The table shows the 10 groups in which the ranks change most; 4 more are counted above."
    ]
