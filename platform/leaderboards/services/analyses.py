"""Analyses of a ranking: figures and comparisons, made step by step in the background."""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import pandas as pd
import structlog
from django.db import transaction
from django.utils import timezone

from challenges.models import Phase
from core.audit.services import VALUES, hold_chain, record, values_of
from core.work.services import UNEXPECTED, Lease, LeaseLostError, claim
from datastore.test_sets.queries.grids import length_unit
from datastore.test_sets.queries.test_sets import deciding_annotator
from datastore.uploads.storage import load_json, store_json
from evaluation import boards
from evaluation.analyses import baselines, catalogue, exploring
from evaluation.analyses.sources import Figure, Sources
from evaluation.assessment import Assessment
from evaluation.claims.group_leads import group_lead
from evaluation.figures.markup import for_plotly
from evaluation.ranking import ResultsError, rank
from evaluation.ranking.counted import counted_results
from evaluation.ranking.document import look_to_verify
from leaderboards.models import Analysis, RankingVersion
from leaderboards.queries.names import read
from leaderboards.queries.work import ANALYSES, ranking_waits
from leaderboards.services import computing
from submissions.models import Run
from submissions.queries import annotator_evidence, annotator_frames

if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence

log = structlog.get_logger(__name__)

AUTOMATIC: Final = "fully_automatic"
FULLY_AUTOMATIC: Final = "fully automatic methods"
FEWEST_AUTOMATIC: Final = 2

STORED_EVERY: Final = 0.5
"""Seconds after which finished steps are stored. Most steps take less time than storing them."""


@dataclass(frozen=True)
class Made:
    """Result of one step."""

    figures: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, list[str]] = field(default_factory=dict)
    findings: Any = None


Step = Callable[[RankingVersion, Sources], Made]
StepResult = tuple[str, Made, str]
"""Name of a step, its output, and the sentence about its failure."""


def _drawing(picture: catalogue.Picture) -> Step:
    def make(version: RankingVersion, sources: Sources) -> Made:
        drawn = catalogue.drawn(picture, sources, version.table)
        return Made(figures=store_figures(version, picture.name, drawn))

    return make


def _comparing(version: RankingVersion, sources: Sources) -> Made:
    return Made(sentences=catalogue.further_sentences(sources, version.table))


def _hardest(version: RankingVersion, sources: Sources) -> Made:
    cases_by_order = {order["key"]: exploring.hardest(sources, order) for order in version.table["orders"]}
    return Made(findings={key: cases for key, cases in cases_by_order.items() if cases})


def _subgroups(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=store_subgroups(version, sources))


def _annotators(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=store_annotators(version, sources))


def _baselines(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=compared_baselines(version, sources))


def _levels(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=store_separate_ranking(version, sources))


STEPS: Mapping[str, Step] = {
    **{picture.name: _drawing(picture) for picture in catalogue.PICTURES if not picture.is_slow},
    "comparisons": _comparing,
    "hardest": _hardest,
    "subgroups": _subgroups,
    "annotators": _annotators,
    "levels": _levels,
    "baselines": _baselines,
    **{picture.name: _drawing(picture) for picture in catalogue.PICTURES if picture.is_slow},
}


def analyse_version(*, version_id: int) -> Analysis | None:
    """Run the remaining steps, unless another worker does it or more urgent work waits.

    Returns
    -------
    Analysis or None
        The finished analysis; None if it was left to another worker or to a later time.
    """
    lease = claim(ANALYSES, version_id, give_up=_leave_out)
    if lease is None:
        return None
    lease.rows.update(total=len(STEPS))
    analysis = Analysis.objects.select_related("version__phase__task__challenge").get(pk=lease.pk)
    version, done = analysis.version, set(analysis.steps)
    sources: Sources | None = None
    finished_steps: list[StepResult] = []
    # After a worker has died, each step is stored at once: the first that is not stored is the one that killed it.
    pause = STORED_EVERY if lease.attempts == 1 else 0
    stored_at = time.monotonic()
    with lease.renewed():
        for name, step in STEPS.items():
            if name in done:
                continue
            if not finished_steps and ranking_waits():
                # The sweep hands it out again once the ranking has been taken.
                lease.hand_back(timedelta(0), asks=False, attempts=0)
                return None
            step_output, failure = Made(), ""
            try:
                sources = sources or sources_of(version)
                step_output = step(version, sources)
            except Exception:
                log.exception("analysis_step_failed", version=version_id, step=name)
                failure = UNEXPECTED
            finished_steps.append((name, step_output, failure))
            if time.monotonic() - stored_at >= pause:
                if not _keep(lease, finished_steps):
                    return None
                finished_steps, stored_at = [], time.monotonic()
        if finished_steps and not _keep(lease, finished_steps):
            return None
    return _finish(lease)


def _leave_out(lease: Lease) -> None:
    """Leave out the step that takes its worker down with it: the others are made all the same."""
    row = Analysis.objects.get(pk=lease.pk)
    steps, failures = row.steps, row.failures
    culprit = next((name for name in STEPS if name not in steps), None)
    if culprit is not None:
        steps = [*steps, culprit]
        failures = failures | {culprit: f"The worker died {lease.attempts - 1} times over it."}
    lease.hand_back(timedelta(0), attempts=0, steps=steps, failures=failures)


@transaction.atomic
def _keep(lease: Lease, finished_steps: Iterable[StepResult]) -> bool:
    """Store the output of steps, unless the lease has gone to another worker."""
    row = lease.rows.select_for_update(no_key=True).first()
    if row is None:
        return False
    row.attempts = 1
    for name, step_output, failure in finished_steps:
        _add(row, name, step_output, failure)
    row.save()
    return True


def _add(row: Analysis, name: str, step_output: Made, failure: str) -> None:
    row.steps = [*row.steps, name]
    if step_output.figures:
        row.figures = row.figures | {name: dict(step_output.figures)}
    else:
        row.figures = {kind: drawn for kind, drawn in row.figures.items() if kind != name}
    if step_output.sentences:
        row.sentences = dict(step_output.sentences)
    if step_output.findings is not None:
        row.findings = row.findings | {name: step_output.findings}
    if failure:
        row.failures = row.failures | {name: failure}


def _finish(lease: Lease) -> Analysis | None:
    with suppress(LeaseLostError), transaction.atomic():
        hold_chain()
        with lease.completing() as row:
            row.attempts, row.finished_at = 0, timezone.now()
        version = RankingVersion.objects.select_related("phase__task__challenge").get(pk=row.version_id)
        record(
            actor=None,
            act="analysis_finished",
            subject=row,
            scope=version.phase.challenge.slug,
            facts={"phase": version.phase.slug, "number": version.number, VALUES: values_of(row)},
        )
        return row
    return None


def sources_of(version: RankingVersion, *, withheld: frozenset[str] = frozenset()) -> Sources:
    """Read the inputs of a version and the facts about its cases, with the names that the version shows.

    Parameters
    ----------
    withheld
        Metrics whose values of single cases must not be shown to the reader.
    """
    phase = version.phase
    runs = Run.objects.select_related("submission__team", "test_set").in_bulk(
        [team["run"] for team in version.inputs["teams"]]
    )
    by_id = {str(key): run for key, run in runs.items()}
    assessment = computing.assessment_of(version)
    frames = [
        computing.team_frame(by_id[team["run"]], team["name"], assessment, level=team.get("level", ""))
        for team in version.inputs["teams"]
    ]
    of_teams = [(team["name"], by_id[team["run"]]) for team in version.inputs["teams"]]
    annotated = _by_annotator(of_teams, assessment, [team.get("level", "") for team in version.inputs["teams"]])
    metadata = computing.read_metadata(load_json(version.metadata_name)) if version.metadata_name else None
    return Sources(
        document=read(version, version.document_name),
        assessment=assessment,
        results=_of_cases(assessment, pd.concat(frames, ignore_index=True), metadata),
        cases=metadata,
        characteristics=computing.characteristics(phase, list(runs.values())),
        length_unit=length_unit(phase),
        read_evidence=lambda: computing.merged_evidence(of_teams),
        annotated_results=annotated,
        kept=withheld,
        annotated_evidence=_annotated_evidence(of_teams) if annotated else {},
        deciding_annotator=deciding_annotator(of_teams[0][1].test_set) if annotated else "",
    )


def _of_cases(assessment: Assessment, results: pd.DataFrame, cases: pd.DataFrame | None) -> pd.DataFrame:
    """Leave out what figures of single cases must not show: the cases that do not count."""
    single = results[results["case"] != ""]
    if not assessment.exclusions or single.empty:
        return results
    counted = counted_results(assessment, single, cases=cases).results
    return pd.concat([counted, results[results["case"] == ""]], ignore_index=True)


def _by_annotator(
    runs: Sequence[tuple[str, Run]], assessment: Assessment, levels: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Read the results of all teams under the references of each annotator; of annotators that all were scored by."""
    by_annotator: dict[str, list[pd.DataFrame]] = defaultdict(list)
    for (team, run), level in zip(runs, levels, strict=True):
        for annotator, frame in annotator_frames(run).items():
            by_annotator[annotator].append(computing.as_team(frame, team, assessment, level=level))
    return {
        name: pd.concat(frames, ignore_index=True)
        for name, frames in sorted(by_annotator.items())
        if len(frames) == len(runs)
    }


def _annotated_evidence(runs: Sequence[tuple[str, Run]]) -> "dict[str, Evidence]":
    """Read what the values of the whole data set are made of, of all teams by annotator."""
    from evaluation.scoring.evidence import merge_evidence

    by_annotator: dict[str, list[tuple[str, Evidence]]] = defaultdict(list)
    for team, run in runs:
        for annotator, evidence in annotator_evidence(run).items():
            by_annotator[annotator].append((team, evidence))
    return {name: merge_evidence(named_evidence) for name, named_evidence in by_annotator.items()}


def store_figures(version: RankingVersion, name: str, drawn: Iterable[tuple[str, Figure]]) -> dict[str, str]:
    """Keep the figures of one kind; returns order → file."""
    folder = f"rankings/{version.phase_id}/{version.inputs_digest}/figures"
    return {
        key: store_json(
            f"{folder}/{name}-{index}.json.gz", json.dumps(for_plotly(figure), separators=(",", ":"), allow_nan=False)
        )
        for index, (key, figure) in enumerate(drawn)
    }


def store_subgroups(version: RankingVersion, sources: Sources) -> list[dict[str, Any]]:
    """Keep the table and the sentences of every group of cases; returns what can be chosen, with who is first in each."""
    groups = [
        (grouping, label, document) for grouping in sources.subgroups for label, document in grouping.documents.items()
    ]
    parts = [(f"{grouping.title}:{label}", grouping.title, label, document) for grouping, label, document in groups]
    choices = store_parts(version, sources, "groups", parts)
    gaps = {
        grouping.title: {order["key"]: grouping.gaps(order) for order in version.table["orders"]}
        for grouping in sources.subgroups
    }
    for choice, (grouping, label, document) in zip(choices, groups, strict=True):
        choice["gaps"] = {
            key: group_gaps[label] for key, group_gaps in gaps[grouping.title].items() if label in group_gaps
        }
        choice["first"] = {
            order["key"]: [
                algorithm["name"]
                for algorithm in entry["algorithms"]
                # Where a metric is undefined for all, no one is first.
                if algorithm["rank"] == 1 and algorithm["score"] is not None
            ]
            for order, entry in catalogue.orders_of(document, version.table)
        }
        leads = {
            order["key"]: group_lead(entry, document) for order, entry in catalogue.orders_of(document, version.table)
        }
        choice["leads"] = {
            key: {
                "has_interval": lead.first is not None,
                "text": lead.lead_text,
            }
            for key, lead in leads.items()
        }
    return choices


def store_annotators(version: RankingVersion, sources: Sources) -> list[dict[str, Any]]:
    """Keep the table and the sentences under the references of each annotator; returns what can be chosen, and who cannot."""
    parts = [(name, "annotator", name, document) for name, document in sources.annotated.items()]
    choices = store_parts(version, sources, "annotators", parts)
    for choice in choices:
        choice["decides"] = choice["key"] == sources.deciding_annotator
    return choices + [{"key": "", "label": name, "problem": problem} for name, problem in sources.unranked.items()]


def store_parts(
    version: RankingVersion,
    sources: Sources,
    folder: str,
    parts: Iterable[tuple[str, str, str, Mapping[str, Any]]],
) -> list[dict[str, Any]]:
    """Store the tables of ranking documents next to that of a version.

    Each document comes with its key, title and label.
    """
    copied_columns = [name for name in ("submissions", "handed_in", "marks") if name in version.table]
    places = {team: index for index, team in enumerate(version.table["teams"])}
    choices: list[dict[str, Any]] = []
    for key, title, label, document in parts:
        table = boards.build(document, sources.assessment, length_unit=sources.length_unit)
        table |= {name: [version.table[name][places[team]] for team in table["teams"]] for name in copied_columns}
        content = {
            "table": table,
            "sentences": catalogue.sentences(document, table),
            "bootstrap": document["bootstrap"],
        }
        name = f"rankings/{version.phase_id}/{version.inputs_digest}/{folder}/{len(choices)}.json.gz"
        choices.append(
            {
                "key": key,
                "title": title,
                "label": label,
                "cases": table["cases"],
                "file": store_json(name, json.dumps(content)),
            }
        )
    return choices


def store_separate_ranking(version: RankingVersion, sources: Sources) -> list[dict[str, Any]]:
    """Rank the fully automatic methods among themselves, according to the teams' method descriptions.

    Returns the selectable tables, or the reason for their absence. Empty if no separate ranking is registered.
    """
    if version.phase.interaction != Phase.Interaction.SEPARATE:
        return []
    teams = {team["name"] for team in version.inputs["teams"] if team.get("level") == AUTOMATIC}

    def none(problem: str) -> list[dict[str, Any]]:
        return [{"key": "", "label": FULLY_AUTOMATIC, "problem": problem}]

    if len(teams) < FEWEST_AUTOMATIC:
        return none("fewer than two teams say that their method is fully automatic.")
    try:
        document = rank(
            sources.assessment,
            sources.results[sources.results["algorithm"].isin(teams)],
            cases=sources.cases,
            evidence=sources.evidence,
            bootstrap=version.bootstrap,
            seed=version.seed,
        )
    except ResultsError as error:
        return none(str(error))
    return store_parts(version, sources, "levels", [(AUTOMATIC, "level of interaction", FULLY_AUTOMATIC, document)])


def compared_baselines(version: RankingVersion, sources: Sources) -> list[dict[str, Any]]:
    """Compare the ranked teams with each baseline of the organizers.

    Each baseline is ranked together with the teams by the registered assessment. The ranks of the version stay as they
    are.

    Returns
    -------
    list
        By baseline ``name`` and ``orders``: `evaluation.analyses.baselines.compared` with numbers of teams instead of
        their names. Or ``problem``: the reason why it cannot be compared.
    """
    entries = version.inputs.get(computing.BASELINES, [])
    if not entries:
        return []
    runs = Run.objects.select_related("submission__team", "test_set").in_bulk([entry["run"] for entry in entries])
    by_id = {str(key): run for key, run in runs.items()}
    of_teams = Run.objects.in_bulk([team["run"] for team in version.inputs["teams"]])
    named_runs = [(team["name"], of_teams[UUID(team["run"])]) for team in version.inputs["teams"]]
    look = look_to_verify(sources.document)
    findings: list[dict[str, Any]] = []
    for entry in entries:
        name, run = entry["name"], by_id[entry["run"]]
        frame = computing.team_frame(run, name, sources.assessment, level="")
        results = pd.concat([sources.results, _of_cases(sources.assessment, frame, sources.cases)], ignore_index=True)
        try:
            document = rank(
                sources.assessment,
                results,
                cases=sources.cases,
                evidence=computing.merged_evidence([*named_runs, (name, run)]),
                bootstrap=version.bootstrap,
                seed=version.seed,
                look=look,
            )
        except ResultsError as error:
            findings.append({"name": name, "problem": str(error)})
            continue
        table = boards.build(document, sources.assessment, length_unit=sources.length_unit)
        orders = baselines.compared(document, table, name, sources.assessment)
        findings.append({"name": name, "orders": {key: _counted(order) for key, order in orders.items()}})
    return findings


def _counted(order: Mapping[str, Any]) -> dict[str, Any]:
    """Replace names of teams by their number: a team may be named otherwise later."""
    counts = {key: None if order[key] is None else len(order[key]) for key in ("better", "worse")}
    return {**order, **counts}
