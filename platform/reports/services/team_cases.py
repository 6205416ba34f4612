"""The cases in the report of a team: its worst ones, with pictures where the phase reveals them, and what makes cases hard."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from datastore.datasets.queries.publishing import withdrawn_cases
from datastore.test_sets import vault
from evaluation.analyses.case_groups import SHOWN_FIRST, labels_of, ordered
from evaluation.figures import forest_plot
from evaluation.figures.layout import number, rank_words, stars
from evaluation.problems import kind_of
from evaluation.ranking.characteristics import Characteristic
from evaluation.ranking.mixed_model import adjust
from evaluation.ranking.names_of_tests import tests_of_terms
from evaluation.ranking.own_effects import own_effects
from reports.domain.characteristics import title_of
from reports.domain.content import Exhibit
from submissions.models import Run
from submissions.results.queries.pictures import is_drawn, picture_name
from submissions.results.services import pictures

if TYPE_CHECKING:
    from evaluation.figures.publication import Printed

WORST: Final = 8
FEWEST_IN_GROUP: Final = 3
MOST_EXPLAINED: Final = 4
"""Maximum number of metric and region pairs with figures of the effects that make cases hard."""
MOST_PICTURES: Final = 4
Raw = Mapping[str, Any]


def worst_indices(entry: Raw, column: int) -> list[int]:
    """The cases on which a team did worst, the worst first; of those that have a value."""
    sign = 1 if entry["direction"] == "higher" else -1
    values = [(row[column], index) for index, row in enumerate(entry["values"]) if row[column] is not None]
    return [index for _, index in sorted(values, key=lambda pair: (sign * pair[0], pair[1]))[:WORST]]


def worst(entry: Raw, column: int, keys: tuple[str, ...], *, against_field: bool) -> list[Exhibit]:
    """Return the worst cases of a team, with values of the field if these can be shown."""
    rows = []
    for index in worst_indices(entry, column):
        value = entry["values"][index][column]
        row = [str(entry["cases"][index]), number(value)]
        if against_field:
            field_values = [other for other in entry["values"][index] if other is not None]
            row += [number(median(field_values)), f"{rank_words(entry['ranks'][index][column])} of {len(field_values)}"]
        rows.append(tuple(row))
    columns = ("Case", "Own value", *(("Median of the field", "Rank on the case") if against_field else ()))
    caption = f"Worst cases by {title_of(entry)}"
    table = Exhibit("table", topic="worst", origins=keys, text=caption, columns=columns, rows=tuple(rows))
    return [table] if rows else []


def previews(run: Run, cases: Iterable[str], keys: tuple[str, ...], figures: "dict[str, Printed]") -> list[Exhibit]:
    """Return pictures of cases with prediction and reference, drawn where they are not yet.

    Only for a phase that reveals them, and without cases whose consent was withdrawn.
    """
    from evaluation.figures.publication import Printed  # only workers draw

    exhibits: list[Exhibit] = []
    legend = kind_of(run.submission.phase.assessment).pictures.legend_of(with_reference=True)
    withdrawn = withdrawn_cases(run.submission.challenge)
    for case in dict.fromkeys(case for case in cases if case not in withdrawn):
        if len(exhibits) == MOST_PICTURES:
            break
        if not is_drawn(run, case, with_reference=True):
            pictures.draw(run_id=run.pk, case=case)
        if not is_drawn(run, case, with_reference=True):
            continue
        name = f"case-{len(exhibits) + 1:02d}.png"
        figures[name] = Printed(svg=b"", png=vault.read_bytes(picture_name(run, case, with_reference=True)))
        exhibits.append(Exhibit("figure", origins=keys, text=f"Case {case}. {legend}", name=name))
    return exhibits


def groups(entry: Raw, column: int, characteristics: Sequence[Characteristic], keys: tuple[str, ...]) -> list[Exhibit]:
    """Own mean and that of the field in the groups of each characteristic; of many, where they differ most."""
    index_by_case = {str(case): index for index, case in enumerate(entry["cases"])}
    exhibits = []
    for characteristic in characteristics:
        labels = labels_of(characteristic, fewest=FEWEST_IN_GROUP)[0]
        if labels is None:
            continue
        rows = []
        for value, of_value in sorted(labels.dropna().groupby(labels), key=lambda group: ordered(str(group[0]))):
            indices = [index_by_case[str(case)] for case in of_value.index if str(case) in index_by_case]
            own_values = [
                entry["values"][index][column] for index in indices if entry["values"][index][column] is not None
            ]
            field = [other for index in indices for other in entry["values"][index] if other is not None]
            if own_values and field:
                rows.append((str(value), len(indices), sum(own_values) / len(own_values), sum(field) / len(field)))
        if len(rows) < 2:
            continue
        of_all = len(rows)
        if of_all > SHOWN_FIRST:
            rows = sorted(rows, key=lambda row: (-abs(row[2] - row[3]), row[0]))[:SHOWN_FIRST]
        columns = (characteristic.title.capitalize(), "Cases", "Own mean", "Mean of the field")
        caption = f"{title_of(entry)}, by {characteristic.title}"
        if of_all > SHOWN_FIRST:
            caption += f"; the {SHOWN_FIRST} of {of_all} groups in which you differ most from the field"
        table_rows = tuple(
            (value, str(cases), number(own_mean), number(field)) for value, cases, own_mean, field in rows
        )
        exhibits.append(Exhibit("table", origins=keys, text=caption, columns=columns, rows=table_rows))
    return exhibits


def effects(
    entry: Raw,
    column: int,
    characteristics: pd.DataFrame,
    keys: tuple[str, ...],
    draw: Any,
) -> list[Exhibit]:
    """Return the effects of case characteristics on the values of a team, as a forest plot.

    The exhibits also show where the team gains or loses against the field.

    Parameters
    ----------
    draw
        Called with a figure and its caption; returns the name under which it is stored.
    """
    if not len(characteristics.columns):
        return []
    sign = 1.0 if entry["direction"] == "higher" else -1.0
    team = str(entry["algorithms"][column])
    own_values = [None if row[column] is None else sign * row[column] for row in entry["values"]]
    middle = [_median(row, sign) for row in entry["values"]]
    data = characteristics.reset_index().assign(
        value=pd.Series(own_values, dtype=float).to_numpy(),
        ahead=(pd.Series(own_values, dtype=float) - pd.Series(middle, dtype=float)).to_numpy(),
    )
    names = list(characteristics.columns)
    try:
        fit = own_effects(data, characteristics=names)
        ahead = own_effects(data, characteristics=fit["characteristics"], value="ahead")
    except ValueError:
        return []
    looked_at = adjust([fit, ahead], fit["characteristics"])
    analysis = {"by_algorithm": {team: fit}, "characteristics": fit["characteristics"]}
    remarks = " ".join(f"{remark[0].upper()}{remark[1:]}." for remark in fit["warnings"])
    caption = (
        f"By {title_of(entry)}: change of the team’s value for one standard deviation more of a characteristic, or against its "
        f"first category, with 95 % intervals; left of 0 cases are harder. Least squares over {fit['rows']} cases; stars "
        f"mark p ≤ 0.05, 0.01 and 0.001 ({tests_of_terms(fit)}, adjusted by Holm’s method). {looked_at}. {remarks}"
    ).strip()
    name, words = draw(forest_plot(analysis, team), caption)
    beside = {term["term"]: term for term in ahead["terms"]}
    rows = tuple(
        (term["term"], *_effect(term), *_effect(beside[term["term"]]))
        for term in sorted(fit["terms"], key=lambda term: term["estimate"])
        if term["term"] in beside and term["term"] != "(Intercept)"
    )
    columns = ("Characteristic", "Own effect", "Interval", "p, Holm", "Against the field", "Interval", "p, Holm")
    return [
        Exhibit("figure", origins=keys, text=words, name=name),
        Exhibit(
            "table",
            origins=keys,
            text=f"Effects of characteristics of the cases by {title_of(entry)}; against the field: on the distance from the "
            f"median of all teams on the same case. Below 0 is worse. p-values are those of {tests_of_terms(fit)}, adjusted by Holm’s method.",
            columns=columns,
            rows=rows,
        ),
    ]


def _effect(term: Mapping[str, Any]) -> tuple[str, str, str]:
    low, high = term["interval"]
    return (
        number(term["estimate"]),
        f"{number(low)} to {number(high)}",
        f"{term['p_adjusted']:.2g} {stars(term['p_adjusted'])}".strip(),
    )


def _median(row: Sequence[float | None], sign: float) -> float | None:
    values = [value for value in row if value is not None]
    return sign * median(values) if values else None
