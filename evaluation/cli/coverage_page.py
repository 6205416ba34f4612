"""The page of the coverage study, and its figures."""

from __future__ import annotations

import datetime as dt
import platform
from dataclasses import dataclass, field
from typing import Any, Final

from evaluation.figures.layout import LINE, Figure, figure
from evaluation.figures.palette import QUALITATIVE
from evaluation.figures.publication import printed
from evaluation.ranking.coverage import (
    CONTRASTED,
    COVERED,
    ERRORS,
    FALSE_WINNERS,
    FIELDS,
    SCHEMES,
    Cell,
    Outcome,
    keeps_bars,
)
from evaluation.ranking.real_pairs import MEAN_BAR, MOST_ABOVE, PAIR_BAR, RealCell, RealOutcome
from evaluation.ranking.score_coverage import COVERED as SCORES_COVERED
from evaluation.ranking.score_coverage import ScoreOutcome
from evaluation.ranking.worlds import ERRORS as SPREAD
from evaluation.ranking.worlds import WORLDS, HardCell, HardOutcome, bars_of, keeps_hard_bars

Row = tuple[Cell, Outcome]
_BAR_NAMES: Final = {
    "named": "named",
    "false_named": "false winner",
    "false_confirmed": "false confirmed",
    "false_sentence": "false sentence",
    "covered": "sets cover",
}
_MARKS: Final = ("circle", "square", "diamond", "triangle-up", "cross")


@dataclass(frozen=True)
class Study:
    """Simulated cells of a coverage study.

    Attributes
    ----------
    done
        Cells of the grid.
    further
        Cells of other sizes, with another seed.
    traded
        Cells of unequal failure rates, without a bar.
    hard
        Cells with skewed values, unequal failures, clusters and repeated looks, each with its own bars.
    real
        Cells with centred pairs of real algorithms.
    values
        Path of the values of real algorithms.
    scores
        Intervals of scores, which are always simulated, in seconds.
    asked
        Number of cells of the complete study.
    versions
        Versions of Podium and NumPy that produced any of the cells.
    keep
        Path at which cells are stored.
    """

    boards: int
    seed: int
    every: int
    done: list[Row]
    further: list[Row]
    traded: list[Row]
    hard: list[tuple[HardCell, HardOutcome]]
    asked: int
    versions: list[str]
    keep: str | None = None
    scores: list[ScoreOutcome] = field(default_factory=list)
    real: list[tuple[RealCell, RealOutcome]] = field(default_factory=list)
    values: str | None = None

    @property
    def judged(self) -> list[Row]:
        """All cells that have a bar."""
        return [*self.done, *self.further]

    @property
    def keeps_its_word(self) -> bool:
        """True if every judged cell stays within both bars."""
        return (
            all(keeps_bars(*row) for row in self.judged)
            and all(keeps_hard_bars(*row) for row in self.hard)
            and all(one.keeps_bar() for one in self.scores)
            and all(one.keeps_bars for one in by_cases(self.real))
        )

    @property
    def command(self) -> str:
        """Command that regenerates the page."""
        every = f" --every {self.every}" if self.every > 1 else ""
        keep = f" --keep {self.keep}" if self.keep else ""
        real = f" --real {self.values}" if self.values else ""
        return (
            f"python -m evaluation coverage{every} --boards {self.boards} --seed {self.seed}{keep}{real} "
            "--output docs/correctness/coverage.md"
        )

    @property
    def waiting(self) -> int:
        """Number of cells that are not finished yet."""
        return self.asked - len(self.judged) - len(self.traded) - len(self.hard) - len(self.real)


def page(study: Study) -> str:
    """The page in Markdown: what was simulated, the worst of each scheme, figures, and every cell."""
    broken = [row for row in study.judged if not keeps_bars(*row)]
    judged = len(study.judged)
    verdict = (
        f"All {judged} cells keep within the bars."
        if not broken
        else f"{len(broken)} of {judged} cells break a bar; they are marked."
    )
    chosen = f"One cell in {study.every} of the study, chosen at random once. " if study.every > 1 else ""
    if study.waiting:
        chosen += (
            f"{study.asked - study.waiting:,} of {study.asked:,} cells are done, in an order drawn at random once; the same "
            "command simulates the others. "
        )
    if study.keep:
        name = study.keep.rsplit("/", 1)[-1]
        chosen += f"Cells that are done are taken from [{name}]({name}); without `--keep` each is simulated anew. "
    lines = [
        "# Does the uncertainty keep its word?",
        "",
        (
            f"Made by `{study.command}` on {dt.datetime.now(dt.UTC).date().isoformat()} with Podium "
            f"{'; Podium '.join(study.versions)} and Python {platform.python_version()}. {chosen}"
            "`make coverage` goes on until all cells have 1000 boards."
        ),
        "",
        (
            "Boards are simulated whose true order is known: a case effect (standard deviation 0.7), a true difference between "
            "teams and noise (0.7); failed cases count as a value 8 below. Rank sets and winner come from the code that makes "
            "the boards. A cell is covered if *all* sets hold *all* true ranks; truly tied teams must have every rank that they "
            "share in their sets. A winner is false if it is not truly the only best."
        ),
        "",
        (
            f"Bars in every cell: joint coverage at least {COVERED}, false winners at most {FALSE_WINNERS}, both up to {ERRORS} "
            f"binomial standard errors of {study.boards} boards; and where two teams are far ahead, from the fewest cases on with which sets are stated, sets that are "
            f"narrower than all ranks. **{verdict}**"
        ),
        "",
        (
            "The resampling range stands beside the sets for contrast: it says how an order behaves under resampling, and was "
            "never meant to hold the true ranks (1000 resamples; 100 for tests). Where sets and winner need no resamples, it is "
            f"looked at on {CONTRASTED} boards of a cell at most since 23 November 2026."
        ),
        "",
        (
            "Since 29 November 2026 sets also allow for the skewness that is typical of a board (docs/ranking.md, section 6.3). On the "
            "same board they contain the earlier sets, and winners are the same. Cells simulated before therefore show a lower bound of "
            "the coverage. Twelve cells with mirrored log-normal values were simulated again or for the first time."
        ),
        "",
        "## The worst cell of each scheme",
        "",
        "| scheme | cells | least coverage | most false winners | least coverage of the resampling range |",
        "|---|---|---|---|---|",
    ]
    for scheme in SCHEMES:
        rows = [outcome for cell, outcome in study.judged if cell.scheme == scheme]
        if rows:
            lines.append(
                f"| {scheme} | {len(rows)} | {min(row.covered for row in rows):.3f} | "
                f"{max(row.false_winner for row in rows):.3f} | {min(row.resampling_covered for row in rows):.3f} |"
            )
    lines += [
        "",
        *_assumptions(study.hard),
        "",
        *_hard_section(study.hard),
        "",
        *_real_section(study.real),
        "",
        *_scores_section(study.scores),
        "",
        "## In pictures",
        "",
    ]
    for name, (words, _) in _FIGURES.items():
        lines += [f"![{words}]({name})", "", words, ""]
    lines += ["## All cells of the grid", "", *_table(study.done), ""]
    lines += [
        "## Other numbers of cases and teams, another seed",
        "",
        f"Chosen at random once; simulated with seed {study.seed + 1}. The same bars.",
        "",
        *_table(study.further),
        "",
        "## Teams that fail unequally often",
        "",
        (
            "One of three teams fails now and then, is better on all other cases and truly ties with the others. A failure that "
            "nobody has seen is in no data, so no bar is set here. With `unseen_failures` `jeffreys` the sets allow for it."
        ),
        "",
        *_table(study.traded, unseen=True),
        "",
    ]
    return "\n".join(lines)


_SENTENCES: Final = (
    ("“… is the winner”", "bounded values, independent units", "false_confirmed", None),
    ("“… is significantly better”", "failures as frequent as observed", "false_named", False),
    ("“… provided it fails in fewer than …”", "the stated failure rate", "false_sentence", True),
    ("all rank sets together", "failures as frequent as observed", "covered", False),
)
_UNEQUAL: Final = frozenset({"unequal failures", "unequal failures, log-normal rest", "zero-inflated"})
_DEPENDENT: Final = frozenset({"invisible clusters"})


def _assumptions(rows: list[tuple[HardCell, HardOutcome]]) -> list[str]:
    """Return, for each sentence, whether its assumption is true in each world, and the worst cell of the world."""
    lines = [
        "## Sentences and their assumptions",
        "",
        (
            "Each column is a sentence of boards with its assumption. A cell states whether the world fulfils the assumption, "
            "and the worst share of boards on which the sentence is false over all simulated cells of the world. For rank "
            "sets it states the least joint coverage. Where the assumption is not fulfilled, the share has no bar."
        ),
        "",
        f"| world | {' | '.join(f'{sentence} ({assumes})' for sentence, assumes, _, _ in _SENTENCES)} |",
        "|---|" + "---|" * len(_SENTENCES),
    ]
    for world in WORLDS:
        outcomes = [outcome for cell, outcome in rows if cell.world == world]
        if not outcomes:
            lines.append(f"| {world} | {' | '.join('not simulated yet' for _ in _SENTENCES)} |")
            continue
        columns = []
        for _, _, share, holds_with_unequal in _SENTENCES:
            if share == "false_sentence" and WORLDS[world].failure is None:
                columns.append("no rate stated")
                continue
            values = [float(getattr(outcome, share)) for outcome in outcomes]
            worst = min(values) if share == "covered" else max(values)
            is_fulfilled = world not in _DEPENDENT and (world not in _UNEQUAL or holds_with_unequal is not False)
            columns.append(f"{'fulfilled' if is_fulfilled else 'not fulfilled'}: {worst:.3f}")
        lines.append(f"| {world} ({len(outcomes)} cells) | {' | '.join(columns)} |")
    return lines


@dataclass(frozen=True)
class RealPairs:
    """All pairs of real algorithms with one number of cases.

    Attributes
    ----------
    mean, above, worst
        Mean share of false winners, share of pairs above 0.10, and the largest share.
    where
        Pair, data set and metric with the largest share.
    """

    cases: int
    pairs: int
    mean: float
    above: float
    worst: float
    where: str

    @property
    def keeps_bars(self) -> bool:
        """Return whether the mean and the share of pairs above 0.10 are within their bars."""
        return self.mean <= MEAN_BAR and self.above <= MOST_ABOVE


def by_cases(rows: list[tuple[RealCell, RealOutcome]]) -> list[RealPairs]:
    """Return the results over all pairs, by number of cases."""
    summaries = []
    for cases in sorted({cell.cases for cell, _ in rows}):
        of_cases = [(cell, outcome) for cell, outcome in rows if cell.cases == cases and outcome.pairs]
        pairs = sum(outcome.pairs for _, outcome in of_cases)
        if not pairs:
            continue
        cell, worst = max(of_cases, key=lambda row: row[1].worst)
        summaries.append(
            RealPairs(
                cases,
                pairs,
                sum(outcome.mean * outcome.pairs for _, outcome in of_cases) / pairs,
                sum(outcome.above for _, outcome in of_cases) / pairs,
                worst.worst,
                f"{worst.worst_pair} ({cell.data}, {cell.metric}, {cell.region})",
            )
        )
    return summaries


def _real_section(rows: list[tuple[RealCell, RealOutcome]]) -> list[str]:
    """Return the false winners of centred pairs of real algorithms."""
    lines = [
        "## Pairs of real algorithms",
        "",
        (
            "Per-case values of the example data sets ([real-values.csv](real-values.csv)), on the cases in which neither fails. The second "
            "algorithm is shifted so that both are equally good. Boards are samples of these cases with replacement. Every named "
            f"winner is false. Bars at each number of cases: mean over pairs at most {MEAN_BAR}, and at most {100 * MOST_ABOVE:g} % of pairs "
            f"above {PAIR_BAR:g}."
        ),
        "",
    ]
    if not rows:
        return [*lines, "Not simulated."]
    lines += ["| cases | pairs | mean | above 0.10 | worst | worst pair | bars |", "|---|---|---|---|---|---|---|"]
    lines += [
        f"| {one.cases} | {one.pairs} | {one.mean:.3f} | {one.above:.3f} | {one.worst:.3f} | {one.where} | "
        f"{'kept' if one.keeps_bars else '**broken**'} |"
        for one in by_cases(rows)
    ]
    return lines


def _scores_section(outcomes: list[ScoreOutcome]) -> list[str]:
    """Return the coverage of score intervals by world and number of cases."""
    numbers = sorted({one.cases for one in outcomes})
    broken = sum(not one.keeps_bar() for one in outcomes)
    judged = sum(one.has_bar for one in outcomes)
    verdict = f"All {judged} cells keep the bar." if not broken else f"{broken} of {judged} cells break the bar."
    lines = [
        "## Intervals of scores",
        "",
        (
            f"Share of 95 % intervals of a mean score that contain the true mean, by the number of cases. The bar is {SCORES_COVERED} up "
            f"to 2 binomial standard errors. **{verdict}** Values without a registered range have an interval from 40 cases on. "
            "Worlds with failures have no bar: the interval assumes failures as frequent as observed, and with few cases no "
            "failure may be observed. The interval is then too narrow."
        ),
        "",
        f"| values | {' | '.join(f'{number} cases' for number in numbers)} | bar |",
        "|---|" + "---|" * (len(numbers) + 1),
    ]
    for world in dict.fromkeys(one.world for one in outcomes):
        by_number = {one.cases: one for one in outcomes if one.world == world}
        cells = [
            "–"
            if by_number[n].covered is None
            else f"{by_number[n].covered:.3f}{'' if by_number[n].keeps_bar() else ' **broken**'}"
            for n in numbers
        ]
        bar = f"≥ {SCORES_COVERED}" if any(one.has_bar for one in by_number.values()) else "none"
        lines.append(f"| {world} | {' | '.join(cells)} | {bar} |")
    return lines


def _hard_section(rows: list[tuple[HardCell, HardOutcome]]) -> list[str]:
    """Cells in which differences are skewed, failures unequal, units dependent, or boards looked at again and again."""
    broken = sum(not keeps_hard_bars(*row) for row in rows)
    verdict = (
        f"All {len(rows)} cells keep within their bars."
        if not broken
        else f"{broken} of {len(rows)} cells break a bar."
    )
    lines = [
        "## Skewed values, unequal failures, clusters, repeated looks",
        "",
        (
            "Two algorithms are truly tied for first place, so that every named winner is false. A *sentence* is false if a "
            "significant winner is not better and its true failure rate is below the rate that the sentence states. Each "
            f"share may exceed its bar by {SPREAD:g} binomial standard errors. **{verdict}**"
        ),
        "",
        "| world | meaning | cases | teams | parameter | named | false winner | false confirmed | false sentence | sets cover | bars |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for cell, outcome in rows:
        bars = "; ".join(
            f"{_BAR_NAMES[bar.share]} {'≥' if bar.is_minimum else '≤'} {bar.limit:.3g}{'' if bar.holds(outcome) else ' **broken**'}"
            for bar in bars_of(cell)
        )
        lines.append(
            f"| {cell.world} | {WORLDS[cell.world].meaning} | {cell.cases} | {cell.teams} | {cell.share:g} | "
            f"{outcome.named:.3f} | {outcome.false_named:.3f} | {outcome.false_confirmed:.3f} | "
            f"{outcome.false_sentence:.3f} | {outcome.covered:.3f} | {bars} |"
        )
    return lines


def pictures(study: Study) -> dict[str, bytes]:
    """The figures as SVG, by the names under which the page shows them."""
    return {name: printed(make(study)).svg for name, (_, make) in _FIGURES.items()}


def _covered(study: Study) -> Figure:
    """Joint coverage of sets and of resampling ranges, each cell a dot."""
    numbers = sorted({cell.cases for cell, _ in study.judged})
    sets = _dots(study.judged, numbers, "rank sets", QUALITATIVE[0], "circle", lambda o: o.covered, -0.2)
    ranges = _dots(
        study.judged, numbers, "resampling ranges", QUALITATIVE[1], "diamond", lambda o: o.resampling_covered, 0.2
    )
    return _by_cases([sets, ranges], numbers, "How often do all of them hold the true ranks?", COVERED)


def _false(study: Study) -> Figure:
    """Share of boards with a false winner, by scheme."""
    numbers = sorted({cell.cases for cell, _ in study.judged})
    traces = [
        _dots(
            [row for row in study.judged if row[0].scheme == scheme],
            numbers,
            scheme,
            QUALITATIVE[index],
            _MARKS[index],
            lambda o: o.false_winner,
            (index - 2) * 0.15,
        )
        for index, scheme in enumerate(SCHEMES)
    ]
    return _by_cases(traces, numbers, "How often is a winner named who is not the best?", FALSE_WINNERS, top=0.12)


def _named(study: Study) -> Figure:
    """Share of boards that name anybody, by how far the teams are apart."""
    numbers = sorted({cell.cases for cell, _ in study.judged})
    traces = [
        _dots(
            [row for row in study.judged if row[0].field == field],
            numbers,
            field,
            QUALITATIVE[index],
            _MARKS[index],
            lambda o: o.named,
            (index - 2) * 0.15,
        )
        for index, field in enumerate(FIELDS)
    ]
    return _by_cases(traces, numbers, "How often is a winner named at all?", None)


_FIGURES: Final[dict[str, tuple[str, Any]]] = {
    "coverage-sets.svg": (
        (
            "Joint coverage by the number of cases, a dot for every cell: rank sets stay above the bar (line), resampling "
            "ranges often do not, nor do they promise it."
        ),
        _covered,
    ),
    "coverage-false-winners.svg": (
        "Share of boards with a false winner by the number of cases and the scheme; the line is the bar.",
        _false,
    ),
    "coverage-named.svg": (
        (
            "Share of boards that name a winner, by how far the teams are apart: where nobody is the only best, hardly ever; "
            "where one is, more often with more cases."
        ),
        _named,
    ),
}


def _dots(
    rows: list[Row], numbers: list[int], name: str, colour: str, symbol: str, value: Any, shift: float
) -> dict[str, Any]:
    """Cells side by side at their number of cases."""
    x, y = [], []
    for position, number in enumerate(numbers):
        here = [outcome for cell, outcome in rows if cell.cases == number]
        for index, outcome in enumerate(here):
            x.append(position + shift + 0.1 * ((index + 0.5) / len(here) - 0.5))
            y.append(float(value(outcome)))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": y,
        "marker": {"color": colour, "size": 5, "symbol": symbol, "opacity": 0.7},
    }


def _by_cases(
    traces: list[dict[str, Any]], numbers: list[int], question: str, bar: float | None, *, top: float = 1.02
) -> Figure:
    drawn_traces = [trace for trace in traces if trace["x"]]
    if bar is not None:
        edge = {"x": [-0.5, len(numbers) - 0.5], "y": [bar, bar], "name": f"bar: {bar:g}"}
        style = {"color": LINE, "width": 1.5, "dash": "dash"}
        drawn_traces.append({"type": "scatter", "mode": "lines", "line": style, **edge})
    return figure(
        drawn_traces,
        question,
        x={
            "title": "Test cases",
            "tickmode": "array",
            "tickvals": list(range(len(numbers))),
            "ticktext": [str(number) for number in numbers],
            "range": [-0.5, len(numbers) - 0.5],
            "showgrid": False,
        },
        y={"title": "Share of boards", "range": [-0.02 * top, top], "tickformat": ".0%"},
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )


def _table(done: list[Row], *, unseen: bool = False) -> list[str]:
    extra = " unseen failures |" if unseen else ""
    lines = [
        (
            f"| scheme | field | failures | teams | cases |{extra} covered | false winner | named | mean width | "
            "resampling range covers |"
        ),
        "|---|---|---|---|---|" + ("---|" if unseen else "") + "---|---|---|---|---|",
    ]
    for cell, outcome in done:
        mark = "" if unseen or keeps_bars(cell, outcome) else " **breaks a bar**"
        middle = f" {cell.unseen} |" if unseen else ""
        lines.append(
            f"| {cell.scheme} | {cell.field} | {cell.failures:.0%} | {cell.teams} | {cell.cases} |{middle} "
            f"{outcome.covered:.3f}{mark} | {outcome.false_winner:.3f} | {outcome.named:.2f} | {outcome.width:.1f} | "
            f"{outcome.resampling_covered:.3f} |"
        )
    return lines
