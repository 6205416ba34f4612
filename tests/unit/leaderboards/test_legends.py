"""The lines below a table are true of the ranking document that it was made of, for generated challenges."""

import re
from dataclasses import replace

import pytest

from evaluation.analyses import catalogue
from evaluation.boards import board, build
from evaluation.claims.catalogue import CATALOGUE
from evaluation.claims.legend import (
    AGGREGATED,
    MISSED_IMAGES,
    NOT_OVER_TASKS,
    VALIDATED,
    Checked,
    Counts,
    OverTasks,
)
from tests.claims.attack import case_of
from tests.claims.meanings import Meanings
from tests.claims.scene import near

CHALLENGES = range(80)
MEANINGS = Meanings()
means = MEANINGS.means


@pytest.fixture(scope="module")
def boards():
    """Each order of each generated challenge: its entry, the challenge and the table."""
    found = []
    for case in map(case_of, CHALLENGES):
        if case.document is not None:
            table = build(case.document, case.raw.assessment)
            for order, entry in catalogue.orders_of(case.document, table):
                found.append((entry, case, board(table, by=order["key"])))
    return found


def false_lines(boards):
    """The lines that are not true, each with the number of its challenge."""
    return [
        (case.seed, line)
        for entry, case, shown in boards
        for line in MEANINGS.false(lines(case, shown), (entry, case, shown))
    ]


def lines(case, shown):
    """Return everything that a table says about its numbers."""
    notes = [shown.differences.note] if shown.differences else []
    return [shown.ranked_by, *shown.legend(case.document["bootstrap"], failures=True), *notes]


INTERVALS = r"The (approximate )?(\S+ %) interval(s?)"


def of_differences(facts):
    """Return the ranking whose differences a table shows: of a combination of one metric, those of the metric."""
    entry, case, _ = facts
    if entry.get("metric"):
        return entry
    [single] = [one for one in case.document["rankings"] if one.get("name") == entry.get("name")]
    return single


def differences_of(facts):
    rows = of_differences(facts)["algorithms"]
    return [row["difference_from_first"] for row in rows if row["difference_from_first"]]


def is_about_intervals(facts, approximate, level, plural):
    """Return whether level, number and method of the intervals are right."""
    entry, case = of_differences(facts), facts[1]
    number = sum(bool(one["interval"]) for one in differences_of(facts))
    drawn = entry["sets"]["method"] == "draws"
    stated = case.raw.assessment.uncertainty.interval
    return bool(approximate) == drawn and near(stated, level) and bool(plural) == (number > 1) and number > 0


@means(rf"{INTERVALS} describes? these results\. This ranking is exploratory and has no statement of significance\.")
def _(facts, approximate, level, plural):
    registered = of_differences(facts).get("family") or {}
    return is_about_intervals(facts, approximate, level, plural) and registered.get("role") == "exploratory"


@means(
    rf"{INTERVALS} (?:applies|apply together) if failures are as frequent as observed"
    r"(, except lower ends above 0 or the margin: a test can have raised them)?\."
)
def _(facts, approximate, level, plural, raised):
    """An end that is above the margin, or ends there although the test shows a difference, can come from a test."""
    margin = of_differences(facts)["margin"] or 0.0
    tested = [one for one in differences_of(facts) if one["interval"] and one["verdict"] != "equivalent"]
    above = any(one["interval"][0] > margin or one["verdict"] == "better" for one in tested)
    registered = of_differences(facts).get("family") or {}
    return (
        is_about_intervals(facts, approximate, level, plural)
        and (not plural or bool(raised) == above)
        and registered.get("role") != "exploratory"
    )


@means(r"The differences have no intervals\.")
def _(facts):
    return not any(one["interval"] for one in differences_of(facts))


@means(r"Ranked by (.+)\.")
def _(facts, label):
    entry, _, _ = facts
    return bool(entry.get("metric")) and (
        not entry.get("region") or str(entry["region"]).casefold() in label.casefold()
    )


@means(r"Ranked over all metrics and regions\.")
def _(facts):
    return not facts[0].get("metric")


@means(
    r"Rank set: the ranks that a team can have\. Together, the rank sets contain all true ranks in about (\S+ %) of challenges like "
    r"this, if failures are as frequent as observed\. The shaded band is that of the first\."
)
def _(facts, level):
    entry, case, _ = facts
    return all(row["rank_set"] for row in entry["algorithms"]) and near(case.raw.assessment.uncertainty.interval, level)


@means(
    r"Rank set: the ranks that a team could have, as a description of these results\. This ranking is exploratory\. The shaded band is "
    r"that of the first\."
)
def _(facts):
    entry, _, _ = facts
    return all(row["rank_set"] for row in entry["algorithms"]) and entry["family"]["role"] == "exploratory"


@means(
    r"Rank set: (?:too few cases to say|(cases may not be independent, so no order can be shown))\. It contains every rank, and every "
    r"row has the amber bar\."
)
def _(facts, clusters):
    entry, _, shown = facts
    everything = [1, len(entry["algorithms"])]
    warned = any(warning["code"] == "possible_clusters" for warning in entry["warnings"])
    few = entry["sets"]["units"] < entry["sets"]["units_needed"]["sets"] or any(
        warning["code"] == "stratum_few" and warning["units"] < 5 for warning in entry["warnings"]
    )
    return (
        all(row["rank_set"] == everything for row in entry["algorithms"])
        and all(row.in_front for row in shown.rows)
        and (warned if clusters else few)
    )


@means(
    r"Winner: if the two best algorithms were equally good, one of them would be (?:confirmed in at most (\S+) %|named in about (\S+) %) "
    r"of challenges\."
)
def _(facts, at_most, about):
    entry, case, _ = facts
    rule, total = case.raw.assessment.uncertainty, 100 * round(1 - case.raw.assessment.uncertainty.interval, 12)
    share = total if len(entry["algorithms"]) == 2 else 2 * total / 3
    share = min(share, 100 * (1.0 if rule.winner_alpha is None else rule.winner_alpha))
    share /= entry["family"]["tests"] if entry.get("family") else 1
    if at_most:
        return entry["verdict"] == "confirmed" and share - 1e-9 <= float(at_most) < share + 0.1
    return entry["verdict"] == "significant" and abs(float(about) - share) < 0.06 * share


@means(r"Rank set: cannot be said, so it is left out\.")
def _(facts):
    return not any(row["rank_set"] for row in facts[0]["algorithms"])


@means(r"Teams that share a letter are not shown to differ\.")
def _(facts):
    entry, _, shown = facts
    letters = [set(row["letters"]) for row in entry["algorithms"]]
    return any(row.letters for row in shown.rows) and not any(
        letters[a] & letters[b] and entry["shown_better"] and entry["shown_better"][a][b]
        for a in range(len(letters))
        for b in range(len(letters))
    )


@means(r"Letters (?:and comparisons of single pairs )?are left out, because .+\.")
def _(facts):
    return not any(row.letters for row in facts[2].rows)


@means(r"The amber bar marks the first( and those within its reach)?\.")
def _(facts, reach):
    entry, _, shown = facts
    best = min((row["rank"] for row in entry["algorithms"]), default=None)
    marked = {row.team for row in shown.rows if row.in_front}
    first = {row["name"] for row in entry["algorithms"] if row["rank"] == best}
    near_first = {row["name"] for row in entry["algorithms"] if row["within_reach"]}
    return marked == first | near_first and (bool(reach) or not near_first - first)


@means(r"Resampling range: the middle (.+ %) of ([\d,]+) resamples? lie in it; it describes them and proves nothing\.")
def _(facts, level, samples):
    entry, case, _ = facts
    drawn = [round(sum(row["rank_frequencies"])) for row in entry["algorithms"] if row["rank_frequencies"]]
    number = int(samples.replace(",", ""))
    return bool(drawn) and set(drawn) == {number} and near(case.raw.assessment.uncertainty.interval, level)


@means(
    r"“At least” and “at most” below a score: exact one-sided bound at (.+ %)\. Resamples do not vary there\. The bound only assumes "
    r"independent cases\."
)
def _(facts, level):
    """Some value of the whole data set is 0 or 1, and the document has its bound at this level."""
    _, case, shown = facts
    known = [
        (row["score"], row["score_confidence_interval"])
        for entry in case.document["rankings"]
        for row in entry["algorithms"]
        if case.raw.of_whole(entry)
    ]
    bounds = [
        interval for score, interval in known if score in (0, 1) and (interval or {}).get("method") == "exact_one_sided"
    ]
    stated = {cell.interval for row in shown.rows for cell in row.cells if cell.interval.startswith("at ")}
    return bool(bounds) and bool(stated) and all(near(interval["level"], level) for interval in bounds)


@means(r"Without rank: .+ of a metric that is registered and not used for the ranking, with its resampling range\.")
def _(facts):
    return bool(facts[2].reported)


@means(r"Failures: cases without a usable result, with the rate .+\.")
def _(facts):
    return True


def test_no_line_below_a_table_is_false(boards):
    assert not false_lines(boards)


WRONG = {
    "all intervals together, whatever a test raises": replace(
        CATALOGUE.claims["differences.except_raised"], true=lambda _: False
    ),
    "intervals of an exploratory ranking together": replace(
        CATALOGUE.claims["differences.descriptive"], true=lambda _: False
    ),
    "sets where there are none": replace(CATALOGUE.claims["legend.sets"], true=lambda _: True),
    "a range where nothing is drawn": replace(CATALOGUE.claims["legend.range"], true=lambda _: True),
    "a bar of the first alone": replace(
        CATALOGUE.claims["legend.bar"], words=lambda _: "The amber bar marks the first."
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_line_is_found(name, boards, monkeypatch):
    monkeypatch.setitem(CATALOGUE.claims, WRONG[name].id, WRONG[name])
    assert false_lines(boards)


def test_every_line_is_said_of_some_board(boards):
    said = {line.claim for _, case, shown in boards for line in lines(case, shown)}
    # Metrics without rank are not generated; boards with more letters than there are have tests of their own.
    assert {name for name in CATALOGUE.claims if re.match(r"differences\.|legend\.(?!by_)", name)} - {
        "legend.reported",
        "legend.no_letters",
    } <= said


def test_counts_agree_with_their_nouns():
    assert AGGREGATED.first(Counts(40, 0)) == "Each value is aggregated over all 40 cases; none is missing."
    assert AGGREGATED.first(Counts(40, 1)) == (
        "Each value is aggregated over all 40 cases; 1 missing case counted as the assessment says."
    )
    assert AGGREGATED.first(Counts(1, 0)) == "Each value is aggregated over one case; none is missing."
    assert MISSED_IMAGES.all(Counts(4, 0)) == []
    assert MISSED_IMAGES.all(Counts(4, 1)) == ["1 of 4 images is missing, and its objects are counted as missed."]
    assert VALIDATED.first(Checked(38, 1, 1, 1)) == "38 valid, 1 missing, 1 that cannot be scored, 1 other file."


def test_who_is_not_ranked_over_tasks_is_named_with_what_it_lacks():
    assert NOT_OVER_TASKS.all(OverTasks()) == []
    told = NOT_OVER_TASKS.all(OverTasks([{"name": "unet", "lacks": ["liver", "tumour"]}], ["Vessels"]))
    assert told == [
        "Not ranked over all tasks: unet (lacks liver and tumour).",
        "Not in it, because there is no ranking that you may see: Vessels.",
    ]
