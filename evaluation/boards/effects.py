"""Numbers about the lead of the first team, as the terms and values of a list."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any, Final

from evaluation.boards.words import percent
from evaluation.figures.outward import outward
from evaluation.rounding import count_text, share_down, share_up
from evaluation.wording import plural

MOST_TEAMS = 3
"""Maximum number of teams whose number of cases to settle is listed."""
_ROUNDING: Final = 1e-9
MOST_STATED: Final = "more than 10,000"
"""Text of a number of cases above the largest one that is stated."""
KEYS: Final = (
    "lead", "break_even_failure_rate", "false_claim_probability", "fewest_cases_to_unseat", "cases_to_settle",
    "cases_to_confirm",
)  # fmt: skip
"""Numbers about the lead under the names of the ranking document. Documents of schema 2 have none of them."""


@dataclass(frozen=True)
class Effect:
    """A number about the lead.

    Attributes
    ----------
    key
        Name in the ranking document.
    anchor
        Heading of the help that explains it.
    details
        Further lines, each a text.
    help
        Explanation in one sentence.
    """

    key: str
    term: str
    value: str
    help: str
    anchor: str
    details: tuple[str, ...] = ()


def effects_of(order: Mapping[str, Any], teams: Sequence[str]) -> tuple[Effect, ...]:
    """Return the numbers about the lead by an order, without those that are not known.

    Parameters
    ----------
    order
        One of the orders of a stored table.
    teams
        The teams of the table.
    """
    stated = {key: order.get(key) for key in KEYS}
    ranks = dict(zip(teams, order["rank"], strict=True))
    effects = (
        stated["lead"] and _lead(order, stated["lead"]),
        stated["break_even_failure_rate"] and _break_even(stated["break_even_failure_rate"]),
        stated["false_claim_probability"] and _false_claim(order, stated["false_claim_probability"]),
        stated["fewest_cases_to_unseat"] and _unseat(order, stated["fewest_cases_to_unseat"]),
        stated["cases_to_settle"] and _settle(order, stated["cases_to_settle"], ranks),
        stated["cases_to_confirm"] and _confirm(order, stated["cases_to_confirm"]),
    )
    return tuple(effect for effect in effects if effect)


def effect_cells(order: Mapping[str, Any], team: str) -> dict[str, Any]:
    """Return the verdict and the numbers about the lead as single values, by column.

    Names are those of the ranking document, with the name of the part behind them. Numbers that are not known are None.

    Parameters
    ----------
    team
        The team whose number of cases to settle is included.
    """
    winner = order.get("winner") or {}
    stated = {key: order.get(key) or {} for key in KEYS}
    lead, rate, false = (stated[key] for key in KEYS[:3])
    low, high = lead.get("interval") or (None, None)
    unseat = stated["fewest_cases_to_unseat"]
    settle: Mapping[str, Any] = next((row for row in stated["cases_to_settle"] if row["algorithm"] == team), {})
    settle_low, settle_high = settle.get("interval") or (None, None)
    return {
        "verdict": order.get("verdict"),
        "winner": winner.get("algorithm"),
        "winner_reason": winner.get("reason"),
        "lead": lead.get("estimate"),
        "lead_low": low,
        "lead_high": high,
        "lead_over": lead.get("over"),
        "break_even_failure_rate": rate.get("rate"),
        "break_even_failure_rate_estimate": rate.get("estimate"),
        "false_claim_probability_better": false.get("better"),
        "false_claim_probability_equivalent": false.get("equivalent"),
        "false_claim_probability_worse": false.get("worse"),
        "false_claim_probability_with_one_unseen_failure": false.get("with_one_unseen_failure"),
        "fewest_cases_to_unseat": unseat.get("units"),
        "fewest_cases_to_unseat_algorithm": unseat.get("algorithm"),
        "cases_to_settle": settle.get("estimate"),
        "cases_to_settle_low": settle_low,
        "cases_to_settle_high": settle_high,
        "cases_to_confirm": order.get("cases_to_confirm"),
    }


def _lead(order: Mapping[str, Any], lead: Mapping[str, Any]) -> Effect:
    interval = lead.get("interval")
    texts = outward(
        lead["estimate"],
        None if interval is None else (interval[0], interval[1]),
        margin=order.get("margin") or 0.0,
        is_better=bool((order.get("winner") or {}).get("named")),
    )
    unit = f" {order['unit']}" if order.get("unit") else ""
    level = percent(lead.get("level") or order["sets"]["level"])
    approximate = "approximate " if order["sets"].get("method") == "draws" else ""
    return Effect(
        "lead",
        f"Lead over {lead['over']}",
        f"{texts.estimate}{unit}" + (f" ({texts.interval})" if texts.interval else ""),
        f"Difference between the leader and the next best team, and the {approximate}{level} interval of its lead over the best of the others.",
        "lead",
        _as_observed(order, lead),
    )


def _as_observed(order: Mapping[str, Any], lead: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the interval with the observed failures, of a lead that one more failure could cost."""
    ends = lead.get("interval_as_observed")
    if ends is None:
        return ()
    texts = outward(lead["estimate"], (ends[0], ends[1]), margin=order.get("margin") or 0.0)
    return (f"{texts.interval} with failures as observed; one more failed case could cost the first place",)


def _break_even(threshold: Mapping[str, Any]) -> Effect:
    rate = threshold["rate"]
    return Effect(
        "break_even_failure_rate",
        "Break-even failure rate",
        share_down(rate) if rate > 0.0 else "none",
        "The lead is safe while the leader fails in fewer cases than this.",
        "break-even-failure-rate",
        (f"{threshold['failed']} of {threshold['of']:,} failed, {share_up(threshold['upper'])} possible",),
    )


def _false_claim(order: Mapping[str, Any], probabilities: Mapping[str, Any]) -> Effect:
    """Return the probability that the leader is not the best.

    Where a lead has no meaning, as in combinations of ranks, it is that the leader is not first alone on new cases.
    """
    is_of_new_cases = probabilities["method"] == "fresh_draws"
    names = ("first alone", "shared first", "not first") if is_of_new_cases else ("better", "equivalent", "worse")
    keys = ("better", "equivalent", "worse")
    texts = {key: _share(probabilities[key]) for key in keys}
    if not is_of_new_cases and not order.get("margin") and probabilities["equivalent"] <= _ROUNDING:
        texts["equivalent"] = "0 %"  # equality has no probability
    shares = ", ".join(f"{name} {texts[key]}" for name, key in zip(names, keys, strict=True))
    details = [f"{shares}, if failures are as frequent as observed"]
    unseen = probabilities.get("with_one_unseen_failure")
    if unseen is not None:
        details.append(
            f"cautious p-value with one unseen failure: {_p_value(unseen)} (one-sided, Bayesian bootstrap, unadjusted)"
        )
    term, explanation = "Leader is not the best", "Probability that the leader is not better than every other team."
    if is_of_new_cases:
        term = "Leader is not first again"
        explanation = "Probability that the leader is not first alone on as many new cases."
    return Effect(
        "false_claim_probability",
        term,
        _share(1.0 - probabilities["better"]),
        explanation,
        "leader-is-not-the-best",
        tuple(details),
    )


def _unseat(order: Mapping[str, Any], removal: Mapping[str, Any]) -> Effect:
    number = removal["units"]
    at_most = "" if removal["is_exact"] else "at most "
    return Effect(
        "fewest_cases_to_unseat",
        "Fewest cases to unseat",
        f"{at_most}{_counted(number, order)}",
        "Without these cases, another team has at least the score of the leader.",
        "fewest-cases-to-unseat",
        (f"then {removal['algorithm']} is first",),
    )


def _settle(order: Mapping[str, Any], needed: Sequence[Mapping[str, Any]], ranks: Mapping[str, float | None]) -> Effect:
    last = len(ranks) + 1.0
    rows = sorted(needed, key=lambda row: (ranks.get(row["algorithm"]) or last, row["algorithm"]))
    first, *others = [(_needed(row), row["algorithm"]) for row in rows]
    named = [f"against {first[1]}", *(f"{words} against {team}" for words, team in others[: MOST_TEAMS - 1])]
    if len(rows) > MOST_TEAMS:
        named.append(f"and {len(rows) - MOST_TEAMS} more in the table (CSV)")
    return Effect(
        "cases_to_settle",
        f"{_units(order, 2).capitalize()} to settle",
        first[0],
        "Number of cases that would make this difference significant, with the range over resampled cases.",
        "cases-to-settle",
        tuple(named),
    )


def _confirm(order: Mapping[str, Any], fewest: int) -> Effect:
    return Effect(
        "cases_to_confirm",
        f"{_units(order, 2).capitalize()} to confirm",
        f"at least {fewest:,}",
        "With fewer cases, failures that cancel this lead could stay unseen.",
        "cases-to-confirm",
    )


def _share(share: float) -> str:
    """Format an estimated probability: no estimate is exactly 0 or 1.

    Examples
    --------
    >>> _share(0.0), _share(0.034), _share(0.34), _share(1.0)
    ('under 1 %', '3 %', '34 %', 'over 99 %')
    """
    if share <= 0.005:
        return "under 1 %"
    return "over 99 %" if share >= 0.995 else f"{100.0 * share:.0f} %"


def _p_value(value: float) -> str:
    """Format a p-value: rounded up to two decimals.

    Examples
    --------
    >>> _p_value(0.0), _p_value(0.0312), _p_value(0.7)
    ('under 0.01', '0.04', '0.70')
    """
    return "under 0.01" if value < 0.01 else f"{math.ceil(round(100.0 * value, 9)) / 100.0:.2f}"


def _needed(row: Mapping[str, Any]) -> str:
    """Format a number of cases with its range."""
    if row["estimate"] is None and row["interval"][0] is None:
        return MOST_STATED
    estimate = MOST_STATED if row["estimate"] is None else count_text(row["estimate"])
    return f"{estimate} ({_range(row['interval'])})"


def _range(interval: Sequence[int | None]) -> str:
    low, high = interval
    if low is None:
        return MOST_STATED
    return f"{count_text(low, ROUND_FLOOR)} to {MOST_STATED if high is None else count_text(high, ROUND_CEILING)}"


def _units(order: Mapping[str, Any], number: int) -> str:
    unit: str = order.get("unit_of_draws") or "case"
    return unit if number == 1 else plural(unit)


def _counted(number: int, order: Mapping[str, Any]) -> str:
    return f"{number:,} {_units(order, number)}"
