"""The report of a team: its strengths and weaknesses against the field, and its worst cases.

It shows a team the results that the phase reveals to it. Of other teams it shows only the information in the public
ranking: the field appears as quartiles. While a phase is sealed, the report contains no ranking. Single cases of
others are shown after the phase closes.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError

from challenges.models import Phase, Team
from challenges.queries import phases_of
from datastore.test_sets.domain.case_access import Reader
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.rules import access_of
from evaluation import __version__
from evaluation.claims.ranking import letters_of
from evaluation.claims.reports import AGAINST, STANDING, Against, Standing
from evaluation.figures import blob_by_algorithm, rank_forest, stacked_frequencies
from evaluation.figures.layout import interval_words, number, rank_words
from evaluation.ranking.names_of_tests import test_of_pairs
from evaluation.ranking.raw import raw_values
from evaluation.ranking.reading import entries, label, main_entry
from evaluation.wording import joined
from leaderboards.queries.current import version_by_key
from leaderboards.queries.names import names_of_teams, read, shown
from leaderboards.queries.single_cases import kept_in
from leaderboards.services import analyses
from reports.domain.content import Chapter, Exhibit, Fill, Item, Ledger, Origin, plain
from reports.exposure.domain.words import Names
from reports.exposure.queries.audience import Audience, Level, level_for
from reports.exposure.queries.facts import RankingFacts, ranking_facts
from reports.services.benchmark import names_of
from reports.services.challenge_report import Built, Progress
from reports.services.team_cases import MOST_EXPLAINED, effects, groups, previews, worst, worst_indices
from submissions.models import Run
from submissions.queries import counted_runs, results_frame
from submissions.queries.results import kept_costs

if TYPE_CHECKING:
    from evaluation.figures.publication import Printed

STEPS: Final = 3


@dataclass(frozen=True)
class TeamFacts:
    """Facts about a phase that a team can see, with the results that they are based on."""

    team: str
    phase: str
    task: str
    challenge: str
    slug: str
    level: Level
    tells_own_values: bool
    tells_own_cases: bool
    reveals_references: bool
    run: str
    result_digest: str
    submission: int
    attempts: int
    ranking: RankingFacts | None

    @property
    def document(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return asdict(self)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "TeamFacts":
        """The facts from their JSON values."""
        values = {key: document[key] for key in cls.__dataclass_fields__}
        ranking = RankingFacts(**values["ranking"]) if values["ranking"] else None
        return cls(**{**values, "level": Level(values["level"]), "ranking": ranking})


def collect(phase: Phase, team: Team) -> TeamFacts:
    """Collect the facts that the team can see now.

    Raises
    ------
    ValidationError
        If the team has no scored submission, or cannot see any of its results yet.
    """
    run = next((run for run in counted_runs(phase) if run.submission.team_id == team.pk), None)
    if run is None:
        raise ValidationError(f"{team.name} has no scored submission in this phase.")
    level = level_for(phase, Audience.PUBLIC)
    # Scores tell which cases they do not depend on, also where a later version of the design would show them.
    tells = not keeps_decoys(phase)
    allowed = access_of(Reader.TEAM, phase, is_algorithm=run.submission.is_algorithm)
    own_cases = allowed.values
    own_values = own_cases or (tells and phase.tells_exact_values) or level is Level.RANKING
    ranking = ranking_facts(phase, phases_of(phase.challenge), level) if level is not Level.NOTHING else None
    team_name = names_of_teams(phase).get(team.pk, team.name)
    if ranking is not None and team_name not in {entry["name"] for entry in ranking.teams}:
        ranking = None
    if not own_values:
        raise ValidationError("This phase tells teams nothing of their scores before it closes.")
    return TeamFacts(
        team=team_name,
        phase=phase.name,
        task=phase.task.name,
        challenge=phase.challenge.title,
        slug=phase.challenge.slug,
        level=level,
        tells_own_values=own_values,
        tells_own_cases=own_cases,
        reveals_references=allowed.pictures and allowed.references,
        run=str(run.pk),
        result_digest=run.result_digest,
        submission=run.submission.number,
        attempts=phase.submissions.filter(team=team).count(),
        ranking=ranking,
    )


def build(facts: TeamFacts, *, progress: Progress) -> Built:
    """Write the report of a team."""
    progress(0, STEPS, "Results of the team")
    ledger = Ledger()
    figures: dict[str, Printed] = {}
    run = Run.objects.select_related("submission__phase__task__challenge", "submission__team", "test_set").get(
        pk=facts.run
    )
    result_origin = Origin("results", f"Result of submission {facts.submission} of {facts.team}", facts.result_digest)
    items = [_submission(facts, run, ledger, result_origin)]
    words_of = names_of(run.submission.phase.assessment, teams=(facts.team,))
    if facts.ranking is not None:
        version = version_by_key(facts.ranking.pk)
        version = shown(version)
        document = read(version, version.document_name)
        words = f"Ranking of {facts.phase}, version {facts.ranking.number}"
        origin = Origin("ranking", words, facts.ranking.digest, facts.ranking.address)
        items.append(_standing(facts, document, ledger, origin, figures, words_of))
        items.append(_strengths(facts, document, ledger, origin))
    progress(1, STEPS, "Cases")
    if facts.tells_own_cases:
        items += _cases(facts, run, ledger, result_origin, figures, words_of, progress)
    content = plain(
        [
            Chapter(
                "team",
                f"{facts.team} in {facts.challenge}",
                [item.named(words_of.text) for item in items if item.text or item.exhibits],
            )
        ],
        ledger,
        title=f"{facts.team} in {facts.challenge}: {facts.phase}",
        challenge={"slug": facts.slug, "title": facts.challenge},
        audience="team",
        software=__version__,
        facts_digest=facts.result_digest,
        design=None,
        rankings=[
            {"phase": facts.phase, "task": facts.task, "number": facts.ranking.number, "digest": facts.ranking.digest}
        ]
        if facts.ranking is not None
        else [],
        deviations=[],
        exposure=None,
        score={},
    )
    return Built(content=content, steps=STEPS, figures=figures)


def _item(key: str, title: str) -> Item:
    return Item(number=key, title=title, fill=Fill.FULL, parameters=())


def _submission(facts: TeamFacts, run: Run, ledger: Ledger, result_origin: Origin) -> Item:
    item = _item("submission", "The submission that counts")
    words = f"Submission {facts.submission} of {facts.team} counts; the team made {facts.attempts} in this phase."
    sentences = [ledger.say(words, Origin("platform", "Counted by the platform: submissions of the team"))]
    summary = run.summary
    lacking = summary.get("missing_cases", 0)
    sentences.append(
        ledger.say(f"It has predictions for {summary['cases'] - lacking} of {summary['cases']} cases.", result_origin)
    )
    item.text.append(tuple(sentences))
    if facts.tells_own_values:
        rows = tuple(
            (value["metric"], value["region"] or "all", number(value["value"]), _outcomes(value["outcomes"]))
            for value in summary["values"]
        )
        columns = ("Metric", "Region", "Score", "Cases without a number")
        item.exhibits.append(
            Exhibit(
                "table",
                topic="scores",
                origins=ledger.keys(result_origin),
                text="Own scores",
                columns=columns,
                rows=rows,
            )
        )
    return item


def _outcomes(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if name != "ok") or "none"


def _own(entry: Mapping[str, Any], team: str) -> Mapping[str, Any] | None:
    return next((algorithm for algorithm in entry["algorithms"] if algorithm["name"] == team), None)


def _standing(
    facts: TeamFacts,
    document: Mapping[str, Any],
    ledger: Ledger,
    origin: Origin,
    figures: "dict[str, Printed]",
    words_of: Names,
) -> Item:
    from evaluation.figures.publication import printed  # only workers draw

    item = _item("standing", "Where the team stands")
    main = main_entry(document)
    team_row = _own(main, facts.team)
    if team_row is None:
        return item
    sentences = STANDING.all(Standing(team_row, main))
    item.text.append(ledger.paragraph(sentences, origin))
    rows = []
    for entry in entries(document):
        mine = _own(entry, facts.team)
        scores = [algorithm["score"] for algorithm in entry["algorithms"] if algorithm["score"] is not None]
        if mine is None or not scores:
            continue
        low, middle, high = np.quantile(scores, (0.25, 0.5, 0.75))
        rows.append(
            (
                label(entry),
                number(mine["score"]),
                rank_words(mine["rank"]),
                interval_words(mine["rank_set"]),
                (mine["letters"] if any(letters_of(entry)) else "") or "–",
                interval_words(mine["rank_interval"]),
                number(float(middle)),
                f"{number(float(low))}–{number(float(high))}",
                number(entry["algorithms"][0]["score"]),
            )
        )
    columns = (
        "Metric and region",
        "Own score",
        "Own rank",
        "Rank set",
        "Letters",
        "Resampling range",
        "Field, median",
        "Field, quartiles",
        "Best",
    )
    keys = ledger.keys(origin)
    figure = words_of.figure(rank_forest(document, highlight=facts.team))
    caption = "All teams: points are ranks, bands rank sets, lines resampling ranges; the own one is named."
    figures["standing"] = printed(figure, description=caption)
    item.exhibits.append(Exhibit("figure", topic="forest", origins=keys, text=caption, name="standing"))
    item.exhibits.append(
        Exhibit("table", topic="field", origins=keys, text="Against the field", columns=columns, rows=tuple(rows))
    )
    if any(entry["resampled"] for entry in entries(document)):
        for name, draw, words in (
            ("figure-01", blob_by_algorithm, "Resampled ranks by metric and region; crosses are medians."),
            ("figure-02", stacked_frequencies, "Ranks over all resamples; dotted lines mark the ranks on all cases."),
        ):
            figure = words_of.figure(draw(document, facts.team))
            caption = f"{figure['layout']['title']['text']} {words}"
            figures[name] = printed(figure, description=caption)
            item.exhibits.append(Exhibit("figure", origins=keys, text=caption, name=name))
    return item


def _strengths(facts: TeamFacts, document: Mapping[str, Any], ledger: Ledger, origin: Origin) -> Item:
    item = _item("strengths", "Strengths and weaknesses")
    main = _own(main_entry(document), facts.team)
    if main is None or main["rank"] is None:
        return item
    by: dict[str, float] = {}
    tested = []
    names_of_tests: set[str] = set()
    for entry in entries(document):
        team_row = _own(entry, facts.team)
        if team_row is None or team_row["rank"] is None:
            continue
        by[label(entry)] = team_row["rank"]
        if entry.get("significantly_better"):
            names_of_tests.add(f"{test_of_pairs(entry)}s")
            names = [algorithm["name"] for algorithm in entry["algorithms"]]
            index = names.index(facts.team)
            wins = sum(bool(cell) for cell in entry["significantly_better"][index])
            losses = sum(bool(row[index]) for row in entry["significantly_better"])
            tested.append((label(entry), str(wins), str(losses), str(len(names) - 1 - wins - losses)))
    item.text.append(ledger.paragraph(AGAINST.all(Against(main["rank"], by)), origin))
    if tested:
        columns = (
            "Metric and region",
            "Significantly better than",
            "Significantly worse than",
            "No significant difference",
        )
        caption = f"Teams by {joined(sorted(names_of_tests))}, adjusted by Holm’s method"
        item.exhibits.append(
            Exhibit("table", origins=ledger.keys(origin), text=caption, columns=columns, rows=tuple(tested))
        )
    return item


def _cases(
    facts: TeamFacts,
    run: Run,
    ledger: Ledger,
    result_origin: Origin,
    figures: "dict[str, Printed]",
    words_of: Names,
    progress: Progress,
) -> list[Item]:
    """Return the worst cases of the team and the characteristics of its hard cases.

    Values of the field are included after the phase has closed.
    """
    from evaluation.figures.publication import printed  # only workers draw

    item, hard = _item("cases", "Cases"), _item("effects", "What makes cases hard")
    against_field = facts.level is Level.ALL and facts.ranking is not None
    if against_field and facts.ranking is not None:
        version = version_by_key(facts.ranking.pk)
        sources = analyses.sources_of(shown(version), withheld=kept_in(AnonymousUser(), version).metrics)
        results, assessment, origin = (
            sources.results,
            sources.assessment,
            Origin(
                "ranking",
                f"Results ranked in version {facts.ranking.number}",
                facts.ranking.inputs_digest,
                facts.ranking.address,
            ),
        )
        metadata, raw_entries = sources.characteristics, list(sources.raw.values())
    else:
        results, assessment, origin = results_frame(run), run.submission.phase.assessment, result_origin
        withheld_metrics = kept_costs(run, AnonymousUser())
        raw_entries = [
            entry
            for entry in raw_values(assessment, results.assign(algorithm=facts.team))
            if entry["metric"] not in withheld_metrics
        ]
        metadata = None
    keys = ledger.keys(result_origin, origin) if against_field else ledger.keys(result_origin)

    def draw(figure: Mapping[str, Any], caption: str) -> tuple[str, str]:
        figure = words_of.figure(figure)
        name = f"effects-{len(hard.exhibits) // 2 + 1:02d}"
        words = f"{figure['layout']['title']['text']} {caption}"
        figures[name] = printed(figure, description=words)
        return name, words

    pictured: list[str] = []
    for position, entry in enumerate(raw_entries):
        column = list(entry["algorithms"]).index(facts.team)
        pictured += [str(entry["cases"][index]) for index in worst_indices(entry, column)[:1]]
        item.exhibits += worst(entry, column, keys, against_field=against_field)
        if metadata is not None:
            item.exhibits += groups(entry, column, sources.known, keys)
            if position < MOST_EXPLAINED:
                hard.exhibits += effects(entry, column, sources.difficulty.explaining(entry["cases"])[0], keys, draw)
    if item.exhibits:
        words = (
            "The field is told as the median over all teams."
            if against_field
            else "How the field did on these cases is published when the phase has closed."
        )
        item.text.append((ledger.say(words, result_origin),))
    if hard.exhibits:
        words = (
            "Whether a characteristic goes with bad values says nothing about why. Where the distance from the field changes, "
            "the team has a strength or a weakness of its own; where only its values change, the cases are hard for all."
        )
        item_words = ledger.say(words, Origin("platform", "How to read effects of characteristics"))
        hard.text.append((item_words,))
    if facts.reveals_references:
        progress(2, STEPS, "Pictures of cases")
        item.exhibits += previews(run, pictured, ledger.keys(result_origin), figures)
    return [item, hard]
