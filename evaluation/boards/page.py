"""The stored table as a page: one order chosen, sorted and filtered, every number already text."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from evaluation.boards.axis import Axis, axis_of
from evaluation.boards.choosing import at, columns_shown, sorted_rows
from evaluation.boards.differences import LABEL, Differences, differences_of, leader_of, stated_by, texts_of
from evaluation.boards.effects import Effect, effects_of
from evaluation.boards.words import VERDICTS, number, percent, score, score_span, span
from evaluation.catalogue import readable
from evaluation.claims.catalogue import Said
from evaluation.claims.legend import LEGEND, RANKED_BY, Legend
from evaluation.figures.outward import Texts
from evaluation.rounding import bound_text, share_up

PAGE_ROWS = 80
"""Maximum number of teams on one page."""
_BESIDE = ("set_low", "set_high", "failed", "failed_of", "failure_upper", "rank_after_failure")
RANKS, SCORES = "ranks", "scores"
"""Content of the columns of metrics."""


@dataclass(frozen=True)
class Method:
    """Information from a team about the method behind a submission.

    Attributes
    ----------
    url
        Address of its description.
    uses_extra_data
        Whether it was trained on data from outside the challenge.
    """

    url: str
    uses_extra_data: bool = False


@dataclass(frozen=True)
class Mark:
    """Information about a team that a reader needs in addition to its rank."""

    label: str
    meaning: str


MARKS = {
    "organizer": Mark("organizers’ team", "a member of this team organizes the challenge"),
    "late": Mark("late entry not ranked", "a later submission came after the end and is not ranked"),
    "fully_automatic": Mark("fully automatic", "says that its method needs no interaction"),
    "semi_automatic": Mark("semi-automatic", "says that its method needs some interaction"),
    "fully_interactive": Mark("interactive", "says that its method is fully interactive"),
    "extra_data": Mark("extra data", "says that it was trained on data from outside the challenge"),
}


@dataclass(frozen=True)
class Cell:
    """Result of a team by one metric in one region.

    It is the score with the interval, or the rank with the rank set.
    """

    label: str
    value: str
    interval: str
    best: bool
    is_bound: bool = False
    """True if the interval is an exact one-sided bound."""


@dataclass(frozen=True)
class Row:
    """One team."""

    team: str
    rank: float | None
    low: float | None
    high: float | None
    share: float | None
    score: str
    cells: tuple[Cell, ...]
    missing: int
    cases: int
    reported: tuple[Cell, ...]
    """By the metrics that no ranking uses."""
    in_front: bool
    """It ranks first, or the first place is within its reach."""
    identical_to: tuple[str, ...]
    own: bool
    level: str
    """Share of the resamples that the interval covers."""
    letters: str | None = None
    """Teams that share a letter are not shown to differ."""
    set_low: int | None = None
    set_high: int | None = None
    failed: int | None = None
    failed_of: int | None = None
    failure_upper: float | None = None
    rank_after_failure: float | None = None
    """Its rank if one more case had failed, the worst over the cases."""
    from_leader: Texts | None = None
    """Difference from the leader, with its interval."""
    submissions: int | None = None
    handed_in: datetime | None = None
    marks: tuple[Mark, ...] = ()
    outcomes: str = ""
    """Of an algorithm that was run here: how many cases have no prediction, and why."""
    method: str = ""
    """Address of the description of the method."""

    @property
    def rank_text(self) -> str:
        return number(self.rank)

    @property
    def interval_text(self) -> str:
        return span(self.low, self.high)

    @property
    def set_text(self) -> str:
        return span(self.set_low, self.set_high) or "–"

    @property
    def failure_text(self) -> str:
        """Failed cases among all."""
        return "–" if self.failed is None else f"{self.failed} of {self.failed_of}"

    @property
    def failure_bound_text(self) -> str:
        """Upper bound of the failure rate, as text."""
        return "" if self.failure_upper is None else f"up to {share_up(self.failure_upper)}"

    @property
    def after_failure_text(self) -> str:
        return "" if self.rank_after_failure is None else f"one more: rank {number(self.rank_after_failure)}"

    @property
    def difference_text(self) -> str:
        """Difference from the leader, or a dash."""
        return "–" if self.from_leader is None else self.from_leader.estimate

    @property
    def difference_interval_text(self) -> str:
        """Interval of the difference from the leader; empty if there is none."""
        return "" if self.from_leader is None else self.from_leader.interval

    @property
    def share_text(self) -> str:
        return percent(self.share)

    @property
    def present(self) -> int:
        """Cases with a prediction."""
        return self.cases - self.missing

    @property
    def entry_text(self) -> str:
        """Number of submissions of the team, and date of the submission that counts."""
        tries = f"{self.submissions} {'try' if self.submissions == 1 else 'tries'}"
        return f"{tries}, {self.handed_in:%-d %b %y}" if self.handed_in else tries

    @property
    def sentence(self) -> str:
        """Content of the row as one sentence, for users of screen readers.

        Cases and dates are in separate cells.
        """
        parts = [f"{self.team}: rank {self.rank_text}"]
        if self.set_low is not None:
            parts.append(f"rank set {number(self.set_low)} to {number(self.set_high)}")
        if self.letters:
            parts.append(f"letter{'s' if len(self.letters) > 1 else ''} {self.letters}")
        if self.interval_text:
            parts.append(f"between {number(self.low)} and {number(self.high)} in {self.level} of resamples")
        if self.share is not None:
            parts.append(f"first in {self.share_text} of them")
        parts += [mark.meaning for mark in self.marks]
        parts += [self.outcomes] if self.outcomes else []
        return ", ".join(parts) + "."


@dataclass(frozen=True)
class Column:
    """The head of a metric and region."""

    key: str
    title: str
    region: str | None
    unit: str | None
    statistic: str
    higher: bool


@dataclass(frozen=True)
class Choice:
    """An entry of a selection."""

    key: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class Board:
    """Everything that the table of a leaderboard shows."""

    order: Mapping[str, Any]
    orders: tuple[Choice, ...]
    axis: Axis
    choices: tuple[Choice, ...]
    """Every metric and region that counts, those chosen whose columns the table has."""
    columns: tuple[Column, ...]
    reported: tuple[Column, ...]
    """The heads of metrics that are computed and that no ranking uses."""
    rows: tuple[Row, ...]
    found: int
    """Number of teams found by the search, of which `rows` contains those of one page."""
    page: int
    teams: int
    cases: int
    interval: str
    front: tuple[str, ...]
    """The teams that rank first or have the first place within their reach."""
    ties: tuple[tuple[str, ...], ...]
    sort: str
    tells_entries: bool = False
    """True if the number and dates of the teams' submissions are known."""
    shows: str = SCORES
    share: float = 0.95
    """Of rank sets and ranges."""
    differences: Differences | None = None
    """Differences from the leader; None for an order without them."""
    effects: tuple[Effect, ...] = ()
    """Numbers about the lead of the first team; empty for an order without them."""

    @property
    def difference_help(self) -> str:
        """Explanation of the column of differences; empty without it."""
        if self.differences is None:
            return ""
        above = (
            " “> 0”: significantly better, but no larger lower end can be stated."
            if self.differences.intervals.has_raised_ends
            else ""
        )
        return (
            "Difference between the leader and this team. Positive: the leader is better. "
            f"{self.differences.note}{above}"
        )

    @property
    def verdict_word(self) -> str:
        """The verdict, marked as approximate where resamples decide; empty if there is none."""
        word: str = self.order["verdict"] or ""
        return (
            f"{word} (approximately)"
            if word == "significant" and self.order["sets"]["method"] != "sign_flips"
            else word
        )

    @property
    def tells_reach(self) -> bool:
        """True if the ranking shows the teams that are not significantly different from the first.

        It is false if nothing is known about rank sets.
        """
        return Legend(self.order, self.share, 0).tells_reach

    @property
    def tells_draws(self) -> bool:
        """True if the ranking was resampled.

        It is false if the uncertainty of its values is not known.
        """
        return any(share is not None for share in self.order["share"])

    @property
    def ranked_by(self) -> Said:
        """By what the rows are ranked."""
        return RANKED_BY.first(Legend(self.order, self.share, 0))

    def legend(self, samples: int, *, failures: bool) -> list[Said]:
        """Return the explanation of the table.

        It depends on the number of resamples and on the presence of a column of failures.
        """
        reported = self.reported[0].statistic if self.reported else ""
        bounds = any(cell.is_bound for row in self.rows for cell in row.cells)
        return LEGEND.all(Legend(self.order, self.share, samples, reported, failures, bounds))

    @property
    def first_share(self) -> str:
        """In how many of the resamples the team that ranks first came first; empty where none is drawn."""
        ranks = [rank for rank in self.order["rank"] if rank is not None]
        share = self.order["share"][self.order["rank"].index(min(ranks))] if ranks else None
        return "" if share is None else percent(share)

    @property
    def verdict(self) -> str:
        """Meaning of the verdict, empty if there is none."""
        return VERDICTS.get(self.order["verdict"] or "", "")

    @property
    def sorts(self) -> tuple[Choice, ...]:
        """By what the rows can be sorted, the registered order first; backwards only what is sorted so already."""
        entries = (("submissions", "number of submissions"), ("handed_in", "date")) if self.tells_entries else ()
        named = (
            ("", "rank"),
            ("team", "team"),
            ("set", "rank set"),
            *((("low", "resampling range"), ("share", "first in")) if self.tells_draws else ()),
            ("score", str(self.order["statistic"])),
            *((("difference", LABEL.lower()),) if self.differences else ()),
            *(
                (column.key, " ".join(part for part in (column.title, column.region) if part))
                for column in self.columns
            ),
            ("missing", "cases"),
            *entries,
        )
        sort = "" if self.sort == "rank" else self.sort
        choices = [Choice(key, label, key == sort) for key, label in named]
        if sort.startswith("-"):
            label = dict(named).get(sort.removeprefix("-").replace("rank", ""), "rank")
            choices.append(Choice(sort, f"{label}, backwards", chosen=True))
        return tuple(choices)

    @property
    def pages(self) -> range:
        """Numbers of the pages."""
        return range(1, max(1, -(-self.found // PAGE_ROWS)) + 1)

    @property
    def first(self) -> int:
        """Place of the first row among those that were found."""
        return (self.page - 1) * PAGE_ROWS + 1

    @property
    def last(self) -> int:
        """Place of the last row among those that were found."""
        return self.first + len(self.rows) - 1


def board(
    table: Mapping[str, Any],
    *,
    by: str = "",
    region: str = "",
    columns: Collection[str] = (),
    shows: str = SCORES,
    sort: str = "",
    search: str = "",
    page: int = 1,
    own_team: str | None = None,
    methods: Mapping[str, Method] = MappingProxyType({}),
) -> Board:
    """Select, sort and filter the leaderboard.

    Unknown values fall back to the default.

    Parameters
    ----------
    table
        Table returned by `evaluation.boards.stored.build`.
    by
        Key of the order that ranks; the first one by default.
    region
        Region whose columns are shown if not all fit and none are chosen.
    columns
        Keys of the orders whose columns to show.
    shows
        ``scores`` or ``ranks`` in the columns of metrics.
    sort
        ``rank``, ``team``, ``set`` (the rank set), ``low`` (the resampling range), ``share``, ``score``,
        ``difference`` (from the leader), ``missing``, ``submissions``, ``handed_in`` or the key of a column; the best, fewest or earliest first,
        with a leading ``-`` the other way round.
    search
        Part of a team's name.
    page
        Number of the page.
    own_team
        Team of the current user.
    methods
        Information from the teams about their methods.
    """
    orders = table["orders"]
    order = next((entry for entry in orders if entry["key"] == by), orders[0])
    singles = [entry for entry in orders if entry["metric"] is not None and entry["ranking"] == order["ranking"]]
    visible_columns = columns_shown(singles, region, columns)
    shows = RANKS if shows == RANKS else SCORES
    matches = [
        index
        for index in sorted_rows(table, order, visible_columns, sort)
        if search.casefold() in table["teams"][index].casefold()
    ]
    page = min(max(page, 1), max(1, -(-len(matches) // PAGE_ROWS)))
    front, source = _front(order), stated_by(table, order)
    leader = leader_of(table, source)
    partners = {
        team: tuple(other for other in group if other != team) for group in table["identical"] for team in group
    }
    best = [min((value for value in entry["rank"] if value is not None), default=None) for entry in visible_columns]
    reported = columns_shown(list(table.get("reported", ())), region, ())
    rows = tuple(
        Row(
            team=table["teams"][index],
            rank=order["rank"][index],
            low=order["low"][index],
            high=order["high"][index],
            share=order["share"][index],
            score=score(order["score"][index], order["decimals"]),
            cells=tuple(
                _cell(entry, index, shows, best=entry["rank"][index] is not None and entry["rank"][index] == first)
                for entry, first in zip(visible_columns, best, strict=True)
            ),
            reported=tuple(_reported_cell(entry, index) for entry in reported),
            missing=table["missing"][index],
            cases=table["cases"],
            in_front=index in front,
            identical_to=partners.get(table["teams"][index], ()),
            own=table["teams"][index] == own_team,
            level=percent(table["interval"]),
            letters=order["letters"][index],
            **{key: order[key][index] for key in _BESIDE},
            from_leader=Texts("leader", "", "") if index == leader else texts_of(source, index),
            submissions=at(table, "submissions", index),
            handed_in=_moment(at(table, "handed_in", index)),
            marks=tuple(
                MARKS[mark] for mark in marks_of(table, index, methods.get(table["teams"][index])) if mark in MARKS
            ),
            outcomes=at(table, "outcomes", index) or "",
            method=methods[table["teams"][index]].url if table["teams"][index] in methods else "",
        )
        for index in matches[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    )
    return Board(
        order=order,
        orders=tuple(Choice(entry["key"], entry["label"], entry is order) for entry in orders),
        axis=axis_of(
            ((row.rank, row.low, row.high, row.set_low, row.set_high) for row in rows),
            teams=len(table["teams"]),
            band=_band(order),
        ),
        choices=tuple(Choice(entry["key"], _label(entry), entry in visible_columns) for entry in singles),
        columns=tuple(_column(entry) for entry in visible_columns),
        reported=tuple(_column(entry) for entry in reported),
        rows=rows,
        found=len(matches),
        page=page,
        front=tuple(table["teams"][index] for index in sorted(front, key=lambda index: order["rank"][index])),
        teams=len(table["teams"]),
        cases=table["cases"],
        interval=percent(table["interval"]),
        ties=tuple(tuple(group) for group in table["identical"]),
        sort=sort or "rank",
        share=table["interval"],
        tells_entries=any(entry is not None for entry in table.get("submissions", ())),
        shows=shows,
        differences=differences_of(table, source),
        effects=effects_of(source, table["teams"]),
    )


def _column(entry: Mapping[str, Any]) -> Column:
    return Column(
        entry["key"], readable(entry["title"]), entry["region"], entry["unit"], entry["statistic"], entry["higher"]
    )


def _reported_cell(entry: Mapping[str, Any], index: int) -> Cell:
    """A value without a rank; where not every case has one, over how many it is."""
    interval = score_span(entry["low"][index], entry["high"][index], entry["decimals"])
    cases = entry["with_value"][index]
    if cases is not None and cases < entry["cases"]:
        interval = f"{interval} over {cases} of {entry['cases']} cases".strip()
    return Cell(_label(entry), score(entry["value"][index], entry["decimals"]), interval, best=False)


def _label(order: Mapping[str, Any]) -> str:
    return " ".join(part for part in (readable(order["title"]), order["region"]) if part)


def _cell(order: Mapping[str, Any], index: int, shows: str, *, best: bool) -> Cell:
    if shows == RANKS:
        value, interval = number(order["rank"][index]), span(order["set_low"][index], order["set_high"][index])
    else:
        value = score(order["score"][index], order["decimals"])
        interval = score_span(order["score_low"][index], order["score_high"][index], order["decimals"])
        bound = (order.get("score_bound") or {index: None})[index]  # tables stored before have none
        if bound is not None:
            is_lower = bound < order["score"][index]
            end = bound_text(bound, is_lower=is_lower, decimals=order["decimals"])
            return Cell(_label(order), value, f"at {'least' if is_lower else 'most'} {end}", best, is_bound=True)
    return Cell(_label(order), value, interval, best)


def _band(order: Mapping[str, Any]) -> tuple[float, float] | None:
    """The rank set of the first; of several with its rank, what their sets span."""
    ranks = [rank for rank in order["rank"] if rank is not None]
    sets = [
        (low, high)
        for rank, low, high in zip(order["rank"], order["set_low"], order["set_high"], strict=True)
        if ranks and rank == min(ranks) and low is not None
    ]
    return (min(low for low, _ in sets), max(high for _, high in sets)) if sets else None


def marks_of(table: Mapping[str, Any], index: int, method: Method | None) -> list[str]:
    """Return the keys of a team's marks: those stored with the ranking, and those from its method."""
    marks = list(at(table, "marks", index) or ())
    return [*marks, "extra_data"] if method is not None and method.uses_extra_data else marks


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _front(order: Mapping[str, Any]) -> set[int]:
    """Those that rank first, and those whose set of ranks starts at 1."""
    ranks = [rank for rank in order["rank"] if rank is not None]
    return {
        index
        for index, (rank, within) in enumerate(zip(order["rank"], order["within_reach"], strict=True))
        if within or (ranks and rank == min(ranks))
    }
