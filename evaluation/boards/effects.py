"""Numbers about the lead of the first team, as the terms and values of a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.boards.words import percent
from evaluation.figures.outward import outward, share_down, share_up
from evaluation.wording import plural

MOST_TEAMS = 3
"""Maximum number of teams whose number of cases to settle is listed."""
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
    found = {key: order.get(key) for key in KEYS}
    ranks = dict(zip(teams, order["rank"], strict=True))
    made = (
        found["lead"] and _lead(order, found["lead"]),
        found["break_even_failure_rate"] and _break_even(found["break_even_failure_rate"]),
        found["false_claim_probability"] and _false_claim(found["false_claim_probability"]),
        found["fewest_cases_to_unseat"] and _unseat(order, found["fewest_cases_to_unseat"]),
        found["cases_to_settle"] and _settle(order, found["cases_to_settle"], ranks),
        found["cases_to_confirm"] and _confirm(order, found["cases_to_confirm"]),
    )
    return tuple(effect for effect in made if effect)


def effect_cells(order: Mapping[str, Any], team: str) -> dict[str, Any]:
    """Return the verdict and the numbers about the lead as single values, by column.

    Names are those of the ranking document, with the name of the part behind them. Numbers that are not known are None.

    Parameters
    ----------
    team
        The team whose number of cases to settle is included.
    """
    winner = order.get("winner") or {}
    found = {key: order.get(key) or {} for key in KEYS}
    lead, rate, false = (found[key] for key in KEYS[:3])
    low, high = lead.get("interval") or (None, None)
    unseat = found["fewest_cases_to_unseat"]
    settle = next((row for row in found["cases_to_settle"] if row["algorithm"] == team), {})
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
        is_better=bool(order["winner"]["named"]),
    )
    unit = f" {order['unit']}" if order.get("unit") else ""
    level = percent(lead.get("level") or order["sets"]["level"])
    return Effect(
        "lead",
        f"Lead over {lead['over']}",
        f"{texts.estimate}{unit}" + (f" ({texts.interval})" if texts.interval else ""),
        f"Difference between the leader and the next best team, with its {level} interval.",
        "lead",
    )


def _break_even(found: Mapping[str, Any]) -> Effect:
    rate = found["rate"]
    return Effect(
        "break_even_failure_rate",
        "Break-even failure rate",
        share_down(rate) if rate > 0.0 else "none",
        "The lead is safe while the leader fails in fewer cases than this.",
        "break-even-failure-rate",
        (f"{found['failed']} of {found['of']:,} failed, {share_up(found['upper'])} possible",),
    )


def _false_claim(found: Mapping[str, Any]) -> Effect:
    unseen = found.get("with_one_unseen_failure")
    shares = ", ".join(f"{name} {_share(found[name])}" for name in ("better", "equivalent", "worse"))
    details = [f"{shares}, if failures are as frequent as observed"]
    if unseen is not None:
        details.append(f"cautious p-value with one unseen failure: {_p_value(unseen)}")
    return Effect(
        "false_claim_probability",
        "Probability of a false claim",
        _share(1.0 - found["better"]),
        "Probability that the leader is not better than every other team.",
        "probability-of-a-false-claim",
        tuple(details),
    )


def _unseat(order: Mapping[str, Any], found: Mapping[str, Any]) -> Effect:
    number = found["units"]
    at_most = "" if found["is_exact"] else "at most "
    return Effect(
        "fewest_cases_to_unseat",
        "Fewest cases to unseat",
        f"{at_most}{_counted(number, order)}",
        "Without these cases, another team has at least the score of the leader.",
        "fewest-cases-to-unseat",
        (f"then {found['algorithm']} is first",),
    )


def _settle(order: Mapping[str, Any], found: Sequence[Mapping[str, Any]], ranks: Mapping[str, float | None]) -> Effect:
    last = len(ranks) + 1.0
    rows = sorted(found, key=lambda row: (ranks.get(row["algorithm"]) or last, row["algorithm"]))
    first, *others = [(f"{_stated(row['estimate'])} ({_range(row['interval'])})", row["algorithm"]) for row in rows]
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


def _confirm(order: Mapping[str, Any], found: int) -> Effect:
    return Effect(
        "cases_to_confirm",
        f"{_units(order, 2).capitalize()} to confirm",
        f"at least {found:,}",
        "With fewer cases, failures that cancel this lead could stay unseen.",
        "cases-to-confirm",
    )


def _share(share: float) -> str:
    """Format a probability that is estimated from draws, hence never 0 % or 100 %.

    Examples
    --------
    >>> _share(0.0), _share(0.034), _share(0.34), _share(1.0)
    ('< 0.1 %', '3.4 %', '34 %', '> 99.9 %')
    """
    if share < 0.001:
        return "< 0.1 %"
    if share > 0.999:
        return "> 99.9 %"
    return f"{100.0 * share:.0f} %" if 0.1 <= share <= 0.9 else f"{100.0 * share:.1f} %"


def _p_value(value: float) -> str:
    """Format a p-value.

    Examples
    --------
    >>> _p_value(0.0), _p_value(0.0312), _p_value(0.7)
    ('< 0.001', '0.031', '0.70')
    """
    return "< 0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _stated(number: int | None) -> str:
    return MOST_STATED if number is None else f"{number:,}"


def _range(interval: Sequence[int | None]) -> str:
    low, high = interval
    return MOST_STATED if low is None else f"{low:,} to {_stated(high)}"


def _units(order: Mapping[str, Any], number: int) -> str:
    unit: str = order.get("unit_of_draws") or "case"
    return unit if number == 1 else plural(unit)


def _counted(number: int, order: Mapping[str, Any]) -> str:
    return f"{number:,} {_units(order, number)}"
