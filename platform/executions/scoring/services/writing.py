"""Writing the result of a run: rows, evidence, what differs by annotator, and the few numbers that pages read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from datastore.test_sets import vault
from datastore.test_sets.models import Annotation, TestSet
from datastore.test_sets.queries.test_sets import metadata_frame_of
from evaluation.aggregation.spread import spreads
from evaluation.aggregation.summary import summarize
from evaluation.assessment import Assessment
from evaluation.problems import kind_of
from evaluation.scoring import provenance
from evaluation.scoring.assembling import assemble, working_points
from executions.scoring.domain import results
from executions.scoring.domain.report import Report
from executions.scoring.domain.results import CaseRow
from executions.scoring.services import disentangling
from executions.scoring.services.cases import Scored, whole_pieces
from executions.scoring.services.scorer import references


@dataclass(frozen=True)
class Written:
    """The files of a result, each stored under a digest of its content, and the summary that a page shows."""

    result: str
    digest: str
    evidence: str
    annotators: str
    summary: dict[str, Any]
    spread: list[dict[str, Any]]
    provenance: dict[str, Any]
    notes: dict[str, str]
    decoys: dict[str, Any]
    disentangled: str
    disentangled_summary: dict[str, Any]


def write(
    key: str,
    test_set: TestSet,
    assessment: Assessment,
    everything: Sequence[Scored],
    *,
    report: dict[str, Any],
    algorithm: str,
) -> Written:
    """Combine the cases of a run and store the result.

    The same cases give the same files under the same names.

    Parameters
    ----------
    key
        Distinguishes the files of this run from those of other runs.
    everything
        Every case of the test set, including decoys.
    report
        The validation report as it is stored.
    algorithm
        Name of the algorithm in the table that is summarized.
    """
    decoys = set(test_set.cases.filter(is_decoy=True).values_list("name", flat=True))
    scored_cases = [scored for scored in everything if scored.case not in decoys]
    rows = [row for scored in scored_cases for row in scored.rows]
    evidence = None
    if assessment.is_pooled:
        cases = {case.name: case for case in test_set.cases.select_related("test_set")}
        pieces = {
            scored.case: whole_pieces(
                assessment, scored.pieces, references.get(assessment, cases[scored.case], algorithm=algorithm)
            )
            for scored in scored_cases
        }
        more, evidence = assemble(assessment, pieces, shared=_shared(test_set, assessment))
        rows += [CaseRow.of(row) for row in more]
    digest = results.digest(rows, evidence)
    name = f"results/{key}/{digest}.parquet"
    evidence_file = f"evidence/{key}/{digest}.parquet{vault.SUFFIX}" if evidence is not None else ""
    if evidence is not None:
        results.store_evidence(evidence, evidence_file)
    results.store(rows, name)
    annotators = _store_annotators(f"results/{key}/annotators", test_set, assessment, scored_cases, algorithm)
    table = results.frame(rows, algorithm=algorithm)
    notes = {scored.case: scored.note for scored in scored_cases if scored.note}
    metadata = metadata_frame_of(test_set) if len(assessment.aggregation.levels) > 1 else None
    summary = summarize(assessment, table, metadata, cases=[scored.case for scored in scored_cases], noted=notes)
    # What teams are told of missing cases covers all that were asked for: a decoy is missed like any other case.
    absent = sum(scored.case in decoys and bool(scored.note) for scored in everything)
    summary |= {"asked": len(everything), "asked_missing": summary["missing_cases"] + absent}
    parts: tuple[str, dict[str, Any]] = ("", {})
    if kind_of(assessment).metrics.rates_object_parts:
        apart = {scored.case: scored.disentangled for scored in scored_cases}
        parts = disentangling.keep(f"disentangled/{key}", test_set, assessment, apart)
    return Written(
        name,
        digest,
        evidence_file,
        annotators,
        summary,
        spreads(assessment, table),
        provenance(assessment) | {"working_points": [] if evidence is None else working_points(assessment, evidence)},
        notes,
        _of_decoys(report, [scored for scored in everything if scored.case in decoys]),
        *parts,
    )


def _store_annotators(
    stem: str, test_set: TestSet, assessment: Assessment, scored_cases: Sequence[Scored], algorithm: str
) -> str:
    """Keep what the cases give under the references of each annotator, as what they give under the merged ones is kept."""
    rows = {
        name: [row for scored in scored_cases if name in scored.annotators for row in scored.annotators[name].rows]
        for name in sorted({name for scored in scored_cases for name in scored.annotators})
    }
    evidence = {}
    if rows and assessment.is_pooled:
        drawn = {
            (entry.annotator, entry.name): entry
            for entry in Annotation.objects.filter(case__test_set=test_set).select_related("case__test_set")
        }
        for name, annotator_rows in rows.items():
            pieces = {
                scored.case: whole_pieces(
                    assessment,
                    scored.annotators[name].pieces,
                    references.get(assessment, drawn[name, scored.case], algorithm=algorithm),
                )
                for scored in scored_cases
                if name in scored.annotators
            }
            more, evidence[name] = assemble(assessment, pieces, shared=_shared(test_set, assessment))
            annotator_rows += [CaseRow.of(row) for row in more]
    return results.store_annotators(rows, stem, evidence=evidence)


def _of_decoys(report: dict[str, Any], decoys: Sequence[Scored]) -> dict[str, Any]:
    """For organizers: what became of each decoy."""
    findings = Report.of(report).findings if decoys else {}
    return {
        decoy.case: {"status": str(findings[decoy.case].status) if decoy.case in findings else "missing"} | decoy.handed
        for decoy in decoys
    }


def _shared(test_set: TestSet, assessment: Assessment) -> Mapping[str, Any]:
    """Return what all evidence of the test set has in common."""
    facts = dict(test_set.cases.filter(is_decoy=False).values_list("name", "metadata"))
    return kind_of(assessment).evidence.shared(assessment, test_set.shared, facts)
