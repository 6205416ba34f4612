"""Results of a phase as a paper presents them.

There are few paragraphs, each with the figures and tables that support it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from evaluation.claims.comparisons import first_under_other_schemes, largest_move
from evaluation.claims.differences import caption_of
from evaluation.claims.ranking import letters_of, sentences_of
from evaluation.claims.reports import REACHED, Reached
from evaluation.figures import better_map, difference_forest, dot_and_box_plot, line_plot, rank_forest
from evaluation.figures.cases import case_map, hardest_first
from evaluation.figures.layout import alike, interval_words, percent, rank_words, shared_firsts
from evaluation.ranking.reading import Entry, entries, is_combined, label, main_entry
from reports.exposure.domain.words import Names
from reports.services.items.claims import HARDEST, Hard, hardest

MOST_SCORES: Final = 7
"""Maximum number of score columns in the table of scores."""
MOST_REACHED: Final = 6
MOST_HARD, MOST_CASES = 3, 20
MOST_MAPPED: Final = 40
"""A map of pairs, or of cases, of more teams cannot be read on a page."""

Shown = Callable[[Mapping[str, Any], str], tuple[str, str]]
Document = Mapping[str, Any]


@dataclass
class Part:
    """A paragraph about the results, and the exhibits it points to.

    Attributes
    ----------
    sentences
        Each with the number of its guideline item.
    exhibits
        Figures and tables. `beside` is the index of the sentence that points to the exhibit.
    """

    sentences: list[dict[str, str]] = field(default_factory=list)
    exhibits: list[dict[str, Any]] = field(default_factory=list)

    def say(self, item: str, sentences: Iterable[str]) -> None:
        """Add sentences of one item."""
        self.sentences += [{"text": text, "item": item} for text in sentences if text]

    def table(self, topic: str, item: str, caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Add a table that the last sentence points to."""
        self.exhibits.append(
            {
                "kind": "table",
                "topic": topic,
                "item": item,
                "text": caption,
                "columns": list(columns),
                "rows": [list(row) for row in rows],
                "beside": max(len(self.sentences) - 1, 0),
            }
        )

    def figure(self, topic: str, item: str, drawn: tuple[str, str]) -> None:
        """Add a figure by its name and caption, to which the last sentence points."""
        name, caption = drawn
        beside = max(len(self.sentences) - 1, 0)
        self.exhibits.append(
            {"kind": "figure", "topic": topic, "item": item, "text": caption, "name": name, "beside": beside}
        )

    @property
    def document(self) -> dict[str, Any]:
        """The part as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class NarrativeSource:
    """Data from which the results are written.

    Attributes
    ----------
    document
        All results that can be reported.
    shown
        The best of a long field, taken from `document`.
    raw
        Values of single cases; empty if these cannot be reported.
    comparisons
        The ranking under other schemes.
    figure
        Draws a figure unless an equal one exists; returns its name and caption.
    """

    document: Document
    shown: Document
    raw: Sequence[Mapping[str, Any]]
    comparisons: Sequence[Mapping[str, Any]]
    closed: bool
    words: Names
    figure: Shown


def parts_of(material: NarrativeSource) -> list[dict[str, Any]]:
    """The paragraphs in the order of a reader's questions: who is first, with what, how sure, by other rules, on which cases."""
    parts = [_ranking(material), _scores(material), _certainty(material), _schemes(material), _cases(material)]
    return [part.document for part in parts if part.sentences]


def _ranking(material: NarrativeSource) -> Part:
    part, main = Part(), main_entry(material.document)
    first, *others = sentences_of(main, material.document, closed=material.closed)
    part.say("35a", [material.words.text(first)])
    for differences, caption in _differences(material.shown):
        part.figure("differences", "35a", material.figure(differences, caption))
    caption = "Points are ranks on all cases, bands rank sets, lines resampling ranges."
    part.figure("forest", "35a", material.figure(rank_forest(material.shown), caption))
    count = len(main["algorithms"])
    part.say("33a", [f"Compared are {count} teams, by {_by_what(material, main)}." if count != 1 else ""])
    part.table("ranking", "33a", *_table(material))
    part.say("35b", [material.words.text(sentence) for sentence in others if _is_about_certainty(sentence)])
    return part


def _differences(document: Document) -> Iterator[tuple[dict[str, Any], str]]:
    """Return the forest plot of the ranking that decides, or of the only metric that it combines, with its caption.

    There is none without differences.
    """
    entry, singles = main_entry(document), entries(document)
    drawn = difference_forest(document)
    if drawn is None and len(singles) == 1 and is_combined(entry):
        entry = singles[0]
        drawn = difference_forest(document, **{key: entry.get(key) for key in ("metric", "region", "task", "name")})
    if drawn is not None:
        yield drawn, caption_of(entry, document)


def _is_about_certainty(sentence: Any) -> bool:
    return sentence.claim.startswith("certainty.") and sentence.claim != "certainty.failure"


def _table(material: NarrativeSource) -> tuple[str, list[str], list[list[str]]]:
    """Return the deciding ranking as a table; empty columns are omitted."""
    entry, whole = main_entry(material.shown), main_entry(material.document)
    columns = ["Rank", "Team", "Score", "Rank set", "Letters", "Resampling range", "First in", "Missing"]
    rows = [
        [
            rank_words(a["rank"]),
            a["name"],
            score,
            interval_words(a["rank_set"]),
            letters or "–",
            interval_words(a["rank_interval"]),
            percent(a["share_first"]),
            "–" if a.get("missing") is None else str(a["missing"]),
        ]
        for a, letters, score in zip(
            entry["algorithms"], letters_of(entry), alike([a["score"] for a in entry["algorithms"]]), strict=True
        )
    ]
    filled_columns = [index for index in range(len(columns)) if any(row[index] not in ("–", "") for row in rows)]
    left = len(whole["algorithms"]) - len(rows)
    more = f" Shown are the best {len(rows)} of {len(whole['algorithms'])}." if left else ""
    caption = " ".join(
        filter(None, [f"The teams, ranked by {_by_what(material, entry)}.{more}", shared_firsts(whole["algorithms"])])
    )
    return (
        caption,
        [columns[index] for index in filled_columns],
        [[row[index] for index in filled_columns] for row in rows],
    )


def _by_what(material: NarrativeSource, entry: Entry) -> str:
    return "all metrics together" if is_combined(entry) else material.words.text(label(entry))


def _scores(material: NarrativeSource) -> Part:
    part = Part()
    singles = entries(material.document)
    sentences = [
        sentence
        for entry in singles[:MOST_REACHED]
        for sentence in REACHED.all(
            Reached(material.words.text(label(entry)), entry["winners"], entry["algorithms"][0]["score"])
        )
    ]
    part.say("34", sentences)
    if len(singles) > 1:
        part.table("scores", "34", *_score_table(material, singles))
    if material.raw:
        raw = _deciding(material)
        caption = "Every case as a dot; boxes show quartiles. Missing values stand there as what they count for."
        part.figure("values", "34", material.figure(dot_and_box_plot(material.shown, raw), caption))
    return part


def _score_table(material: NarrativeSource, singles: Sequence[Entry]) -> tuple[str, list[str], list[list[str]]]:
    drawn = singles[:MOST_SCORES]
    scores = [
        dict(
            zip(
                [a["name"] for a in entry["algorithms"]],
                alike([a["score"] for a in entry["algorithms"]]),
                strict=True,
            )
        )
        for entry in drawn
    ]
    rows = [
        [a["name"], *(column.get(a["name"], "–") for column in scores)]
        for a in main_entry(material.shown)["algorithms"]
    ]
    more = f" Shown are the first {len(drawn)} of {len(singles)}." if len(singles) > len(drawn) else ""
    caption = f"Scores by metric and region, in the order of the ranking.{more}"
    return caption, ["Team", *(material.words.text(label(entry)) for entry in drawn)], rows


def _deciding(material: NarrativeSource) -> Mapping[str, Any]:
    """The values behind the ranking that decides, or the first where it is combined from several."""
    main = main_entry(material.document)
    keys = ("metric", "region", "task")
    same = [raw for raw in material.raw if not is_combined(main) and all(raw[key] == main.get(key) for key in keys)]
    return (same or list(material.raw))[0]


def _certainty(material: NarrativeSource) -> Part:
    part, main = Part(), main_entry(material.document)
    sentences = [
        one for one in sentences_of(main, material.document, closed=material.closed)[1:] if not _is_about_certainty(one)
    ]
    drawn = main_entry(material.shown)
    part.say("35b", [material.words.text(one) for one in sentences])
    if not part.sentences:
        return part
    compared = main["sets"]["reason"] is None and main["shown_better"] is not None
    caption = "A cell is filled where the algorithm of its column is shown to be better than that of its row."
    if compared and 1 < len(drawn["algorithms"]) <= MOST_MAPPED:
        part.figure("pairs", "35b", material.figure(better_map(material.shown), caption))
    return part


def _schemes(material: NarrativeSource) -> Part:
    part = Part()
    if not material.comparisons:
        return part
    comparison = next((one for one in material.comparisons if one.get("overall")), material.comparisons[0])
    part.say("35b", [first_under_other_schemes(comparison), largest_move(comparison)])
    caption = "Ranks under several schemes, the registered one in bold."
    part.figure("schemes", "35b", material.figure(line_plot(material.shown, comparison), caption))
    return part


def _cases(material: NarrativeSource) -> Part:
    part = Part()
    if not material.raw or len(main_entry(material.shown)["algorithms"]) > MOST_MAPPED:
        return part
    raw = _deciding(material)
    order = hardest_first(raw)
    part.say("34", HARDEST.all(Hard(material.words.text(_what(raw)), hardest(raw, MOST_HARD))))
    case_indices = sorted(order[:MOST_CASES])
    few = {**raw, **{key: [raw[key][index] for index in case_indices] for key in ("cases", "values", "ranks")}}
    which = (
        f"The {len(case_indices)} hardest of {len(order):,} cases" if len(order) > len(case_indices) else "All cases"
    )
    caption = f"{which}, every value as a cell; a row that is dark from side to side is a case on which all fail."
    part.figure("cases", "34", material.figure(case_map(material.shown, few), caption))
    return part


def _what(raw: Mapping[str, Any]) -> str:
    return ", ".join(str(raw[key]) for key in ("task", "metric", "region") if raw[key])
