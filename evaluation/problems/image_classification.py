"""Image classification: a class of every case against that of the reference."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.evidence import KindEvidence
from evaluation.problems.label_tables import AnswersByCase, LabelPredictions, LabelReferences, PreparedLabel
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.performance import Performance
from evaluation.problems.pictures import AnswerView
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.reference_rules import MergingRules
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.score_ranges import (
    ANY_SCORE,
    NEED_LABELS,
    check_class_scores,
    has_any_score,
    scores_option,
    shared_score_range,
)
from evaluation.problems.tables import (
    SHOWN_REASONS,
    ExpectedTable,
    PredictionTable,
    ReferenceTable,
    ReferenceTableError,
    SubmitWords,
    TableProblem,
    TableReferenceRules,
    TableReferences,
    TableSamples,
    TableScorerFiles,
    TableTexts,
    listed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.problems.opened import Opened, References
    from evaluation.problems.shown import Rows
    from evaluation.readers import Issue
    from evaluation.readers.limits import Limits
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Numbers, Pieces, Row, ScoredCase

MAJORITY: Final = "majority_vote"
STRICT: Final = "strict"
_LISTED: Final = 10
_SPARE_ROWS: Final = 1000


class ClassificationAnswerView(AnswerView):
    """Answers to a case of image classification, line by line."""

    def numbers_of(self, value: Numbers, shared: Mapping[str, Any]) -> NDArray[Any]:
        """The class decided for, by its place, and the scores of all classes behind it."""
        import numpy as np

        return np.array([*value.counts, *value.values], dtype=float)

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: PreparedLabel
    ) -> CaseAnswers:
        """The class decided for, and the scores of the likeliest classes."""
        from evaluation.problems.case_answers import NOTHING, CaseAnswer, CaseAnswers, number
        from evaluation.scoring.classification_evidence import BY_SCORES

        names = [str(name) for name in shared["classes"]]
        right = names[reference.code] if reference.code < len(names) else NOTHING
        if answer is None or not answer.size:
            return CaseAnswers.of("Class", [CaseAnswer("decided for", NOTHING, right)])
        scores = answer[1:].tolist()[: len(names)]
        decided = int(answer[0])
        if decided == BY_SCORES and scores:
            decided = max(range(len(scores)), key=scores.__getitem__)
        chosen = names[decided] if 0 <= decided < len(names) else NOTHING
        lines = [CaseAnswer("decided for", chosen, right)]
        likeliest = sorted(range(len(scores)), key=lambda index: -scores[index])
        lines += [
            CaseAnswer(f"score of {names[index]}", number(scores[index]), "✓" if names[index] == right else "")
            for index in likeliest
        ]
        return CaseAnswers.of("Class", lines)


class ClassificationSamples(TableSamples):
    """Samples of image classification."""

    kind: ImageClassification

    def perfect_rows(self, reference: Rows, shared: Mapping[str, Any]) -> Rows:
        """The class, with the score 1."""
        from evaluation.problems.labels import rows_of_class

        return rows_of_class(reference.rows[0][0], shared["classes"])

    def worse_rows(self, perfect: Rows) -> dict[str, Rows]:
        """The first and the last class, the next one, and one that is drawn."""
        from evaluation.problems.labels import worse_classes

        return worse_classes(perfect)

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Write an example with two classes.

        One algorithm predicts with noisy scores, one always predicts the same class.
        """
        from evaluation.problems.examples import write_labels

        write_labels(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "benign"}, {"name": "malignant"}],
            "metrics": [{"id": "balanced_accuracy"}, {"id": "auroc", "options": {"positive_class": "malignant"}}],
        }

    def cases_of(self, assessment: Assessment) -> int:
        """Return at least two cases of every class."""
        from evaluation.problems.registered_examples import classes_of

        return max(super().cases_of(assessment), 2 * len(classes_of(assessment)))

    def write_registered(
        self,
        assessment: Assessment,
        folder: Path,
        *,
        cases: int = 12,
        seed: int = 1,
        algorithms: Sequence[str] = ALGORITHMS,
    ) -> None:
        """Write every registered class, with the scores of all classes."""
        from evaluation.problems.registered_examples import write_classes

        write_classes(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class ClassificationScorerFiles(TableScorerFiles):
    """Files of image classification for scoring images."""

    stems_and_kinds = (("labels", "csv"),)

    def reference_rows(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Rows:
        """The class of the case, as a scoring image is shown it."""
        from evaluation.problems.shown import Rows

        assert table.classes is not None
        return Rows.of(("label",), [(table.classes[case],)])

    def prediction_rows(self, prediction: Numbers, shared: Mapping[str, Any]) -> Rows:
        """The class decided for, the scores of all classes in columns ``p_<class>``, or both."""
        from evaluation.problems.labels import rows_of_answer

        return rows_of_answer(prediction, shared["classes"])


class ClassificationTexts(TableTexts):
    """Texts about image classification on pages."""

    region_noun = "class"
    decoy_columns = ("scores_sha256", "answers")

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without a valid answer counts."""
        return "counts as a wrong decision, with the worst score for its class"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page."""
        columns = (
            _score_words(expected)
            if expected.need_scores
            else "The column `label` names the class; columns `p_<class>` with probabilities are taken as well."
        )
        before = f"One table `labels.csv` with a row for each of the {cases} cases, packed into an archive or dropped as it is. {columns}"
        cost = "A case without a row that can be read counts as a wrong decision, the costliest there is, with the worst score."
        return SubmitWords(
            (before,),
            expected.columns,
            "…",
            (cost,) if incomplete_cost else (),
            "Each case belongs to one of them.",
        )


class ClassificationPlausibility(Plausibility):
    """Plausibility of results of image classification."""

    def is_possible(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedLabel,
        pieces: Mapping[tuple[str, str], Numbers],
    ) -> bool:
        """Return whether the pieces are one answer to the case."""
        from evaluation.problems.labels import ANSWER, is_answer

        any_score = has_any_score(assessment.settings)
        return set(pieces) == {ANSWER} and is_answer(
            pieces[ANSWER], reference.code, reference.classes, any_score=any_score
        )

    def summary_of(self, prediction: Numbers) -> dict[str, Any]:
        """Return the digest of the scores of all classes.

        A class without scores is identical for many teams and therefore not informative.
        """
        from evaluation.canonical import sha256

        return {"digest": sha256(prediction.values), "labelled": 1} if prediction.values else {}

    def scan(self, regions: Sequence[Any], references: Path, predictions: Iterable[Path]) -> tuple[Any, Sequence[Any]]:
        """Count the classes of the references."""
        from evaluation.advice.pitfalls.scan_tables import scan_labels
        from evaluation.readers.tables import LABELS_FILE, read_reference_labels

        return scan_labels(read_reference_labels(references / LABELS_FILE)), []


class ClassificationEvidence(KindEvidence):
    """Evidence of values of the whole data set for image classification."""

    kind: ImageClassification

    counts_unanswered = True
    reveals_references = True

    def parts_by_metric(self, assessment: Assessment) -> dict[str, str]:
        """One part, the answers, serves all metrics."""
        from evaluation.scoring.classification_evidence import PART

        return {use.name: PART for use in assessment.computed}

    def assemble(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """All values from all answers; a case without one counts as a wrong decision, so that every case has pieces."""
        from evaluation.problems.labels import finish_answers

        return finish_answers(assessment, algorithm, pieces, shared)

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Classes or regions, or none for a value over all classes."""
        from evaluation.scoring.classification_evidence import regions_of

        return regions_of(use, shared)

    def unanswered_cases(self, evidence: CaseEvidence) -> int:
        """Cases without a valid answer."""
        from evaluation.scoring.classification_evidence import unanswered_cases

        return unanswered_cases(evidence)

    def independent_trials(self, metric: MetricUse, evidence: CaseEvidence) -> int:
        """Decisions on cases, or pairs of cases that share no case."""
        from evaluation.scoring.classification_evidence import independent_trials

        return independent_trials(metric, evidence)

    def hits_and_trials(self, metric: MetricUse, evidence: CaseEvidence) -> tuple[FloatArray, FloatArray] | None:
        """Right decisions: each case is one trial of a metric that it counts in."""
        import numpy as np

        from evaluation.outcomes import Outcome

        if metric.id not in ("accuracy", "sensitivity", "specificity", "ppv", "npv"):
            return None
        each = self.kind.recompute(metric, evidence, np.eye(len(evidence.cases)))
        trials = each.has(Outcome.OK).astype(float)
        successes = np.where(trials > 0, each.numbers, 0.0)
        return (successes, trials) if np.isin(successes, (0.0, 1.0)).all() else None

    def remove_reference(self, reference: PreparedLabel, pieces: Pieces) -> Pieces:
        """Without the class of the reference."""
        from evaluation.scoring.rows import Numbers

        return {key: Numbers(numbers.counts[1:], numbers.values) for key, numbers in pieces.items()}

    def restore_reference(self, reference: PreparedLabel, pieces: Pieces) -> Pieces:
        """With it again."""
        from evaluation.problems.labels import with_class

        return {key: with_class(numbers, reference.code) for key, numbers in pieces.items()}


class ClassificationMetrics(MetricRules):
    """Metrics of image classification."""

    can_be_undefined = False
    has_values_of_cases = False

    def needs_scores(self, use: MetricUse) -> bool:
        """Net benefit is defined for decisions as well (and the scores decide where there are any)."""
        from evaluation import catalogue

        return "scores" in catalogue.get(use.id).needs and use.id != "net_benefit"


class ClassificationReferenceRules(TableReferenceRules):
    """References of image classification."""

    kind: ImageClassification

    merging = MergingRules(
        {
            MAJORITY: "majority vote: the class with more votes than any other; cases with a tie are refused by name",
            STRICT: "strict: of two classes the positive one only where all annotators agree; of more, cases without "
            "agreement are refused by name",
        }
    )

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Case and class."""
        return {self.kind.table_files[0]: ("case", "label")}

    def merge_tables(
        self,
        tables: Mapping[str, ReferenceTable],
        rule: str,
        scored: Sequence[str],
        assessment: Assessment,
        target: Path,
    ) -> list[str]:
        """Make the class of every case that of most or of all annotators, and write ``labels.csv``."""
        from evaluation.problems.labels import describe_classes, merge_classes
        from evaluation.readers.tables import CASE, LABEL

        wanted = set(scored)
        drawn = {name: table.classes or {} for name, table in tables.items()}
        of_scored = {
            name: {case: label for case, label in classes.items() if case in wanted} for name, classes in drawn.items()
        }
        if lacking := sorted(wanted - set().union(*of_scored.values())):
            return [f"{listed(lacking)}: no annotator names a class. Add a row in one of their tables."]
        every = [label for classes in of_scored.values() for label in classes.values()]
        merged, undecided = merge_classes(
            list(of_scored.values()), rule, describe_classes(assessment, every)["classes"]
        )
        if undecided:
            votes = [f"{case} ({_votes(of_scored, case)})" for case in undecided[:_LISTED]]
            more = f" and {len(undecided) - _LISTED} more" if len(undecided) > _LISTED else ""
            why = "the annotators are tied" if rule == MAJORITY else "the annotators do not agree"
            refusal = (
                f"{', '.join(votes)}{more}: {why}, and the rule is {self.merging.computed[rule]}. No case is left "
                "out. Add another annotator's class of them, or decide them by a rule whose result is sent in "
                f"{target.parent.name}/{target.name} beside the annotators (additional_annotator, consensus)."
            )
            return [refusal]
        # What is not scored keeps what anybody said, so that it looks like other cases.
        rest: dict[str, str] = {}
        for classes in drawn.values():
            rest = {case: label for case, label in classes.items() if case not in wanted} | rest
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([CASE, LABEL])
            writer.writerows(sorted((merged | rest).items()))
        return []


class ClassificationPerformance(Performance):
    """Preparation and shortcuts of scoring for image classification."""

    def score_at_once(
        self, assessment: Assessment, algorithm: str, references: References, opened: Opened
    ) -> tuple[list[Row], list[Block]] | None:
        """The answers to all cases as arrays, as they were read."""
        import numpy as np

        from evaluation.problems.labels import finish_block
        from evaluation.scoring.classification_evidence import make_block

        if not isinstance(opened.predictions, AnswersByCase):
            return None
        assert isinstance(references, TableReferences)
        classes, answers = references.table.classes, opened.predictions.table.answers
        assert classes is not None
        code = {name: index for index, name in enumerate(references.shared["classes"])}
        block = make_block(
            algorithm,
            list(opened.predictions.table.places),
            np.array([code[classes[case]] for case in opened.predictions.table.places], dtype=np.int64),
            decision=answers.decision,
            scores=answers.scores,
            answered=answers.answered,
        )
        return finish_block(assessment, algorithm, block if answers.answered.any() else None, references.shared)


class ImageClassification(TableProblem):
    """One class of every case, decided or by scores."""

    id = "image_classification"
    category = "ImLC"
    settings = (scores_option("classes", "Metrics of decisions then need the column label."),)
    task_categories = ("classification", "prediction")
    table_files = ("labels.csv",)
    answer_view = ClassificationAnswerView()
    samples = ClassificationSamples()
    scorer_files = ClassificationScorerFiles()
    texts = ClassificationTexts()
    plausibility = ClassificationPlausibility()
    evidence = ClassificationEvidence()
    metrics = ClassificationMetrics()
    references = ClassificationReferenceRules()
    performance = ClassificationPerformance()

    def check(self, assessment: Assessment) -> None:
        """Reject a metric option `k` that is not below the number of classes, and metrics that scores of any size do not allow."""
        from evaluation.assessment.errors import AssessmentError

        check_class_scores(assessment)
        named = {str(label) for region in assessment.regions for label in region.labels}
        classes = max(len(named), 2)
        for index, use in enumerate(assessment.metrics):
            if named and use.options.get("k", 0) >= classes:
                allowed = f"a whole number below the number of classes ({classes})"
                raise AssessmentError(f"metrics[{index}].options.k", use.options["k"], allowed)

    def read_references(self, path: Path) -> LabelReferences:
        """Read ``labels.csv``."""
        from evaluation.readers.tables import read_reference_labels

        return LabelReferences(read_reference_labels(path))

    def read_predictions(
        self,
        path: Path,
        cases: Sequence[str],
        shared: Mapping[str, Any],
        *,
        references: ReferenceTable | None = None,
        every_reason: bool = False,
        most_of_case: int | None = None,
        limits: Limits | None = None,
    ) -> LabelPredictions:
        """Read ``labels.csv`` with a label, or one score a class, or both."""
        from evaluation.readers.limits import DEFAULT
        from evaluation.readers.tables import read_predicted_labels

        ordered, classes = sorted(cases), tuple(shared["classes"])
        named = {"named": len(ordered)} if every_reason else {}
        answers = read_predicted_labels(
            path,
            ordered,
            classes,
            any_score=has_any_score(shared),
            need_label=tuple(shared.get(NEED_LABELS, ())),
            limits=limits or DEFAULT,
            **named,
        )
        places = {case: index for index, case in enumerate(ordered)}
        return LabelPredictions(answers, places, classes, frozenset(answers.absent), answers.unexpected)

    def check_predictions(self, table: PredictionTable, path: Path, expected: ExpectedTable) -> None:
        """Refuse a table without scores that a metric needs."""
        from evaluation.readers import ReadError

        assert isinstance(table, LabelPredictions)
        if table.answers.scores is None and expected.need_scores:
            raise ReadError("table", path.name, f"no columns p_<class>, which {', '.join(expected.need_scores)} need")

    def most_rows(self, cases: int, most: int) -> int:
        """One row a case, and some of no case."""
        return min(2 * cases + _SPARE_ROWS, most)

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """Case, and a score of every class or a label."""
        scores = tuple(f"p_{name}" for name in expected.classes)
        label = ("label",) if expected.need_labels else ()
        return ("case", *label, *scores) if expected.need_scores else ("case", "label")

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Reject a class that no region names, because its name would reveal to participants that it occurs.

        If an assessment names one of two classes, the other one is taken from the table. If it names none, all are
        taken from there.
        """
        super().check_references(table, assessment, cases)
        registered = {str(label) for region in assessment.regions for label in region.labels}
        assert table.classes is not None
        unnamed = list(dict.fromkeys(table.classes[case] for case in cases if table.classes[case] not in registered))
        strange = unnamed[1:] if len(registered) == 1 else unnamed
        if registered and strange:
            case = next(case for case in cases if table.classes[case] == strange[0])
            message = (
                f"The reference of {case} cannot be taken: no region of the assessment names the class {strange[0]!r}. "
                "Correct the table, or register the class."
            )
            raise ReferenceTableError(message)

    def shared(
        self,
        table: ReferenceTable,
        assessment: Assessment,
        cases: Sequence[str],
        patients: Mapping[str, str],
        named: Sequence[str] = (),
    ) -> dict[str, Any]:
        """The classes of the task in order, and those of each region."""
        from evaluation.problems.labels import describe_classes

        assert table.classes is not None
        described = describe_classes(assessment, [*(table.classes[case] for case in cases), *named])
        return described | shared_score_range(assessment)

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> PreparedLabel:
        """Return the class of a case.

        A case that is requested but not scored may have no class, or a class that no scored case has. It is processed
        like other cases.
        """
        assert table.classes is not None
        classes = shared["classes"]
        label = table.classes.get(case, classes[0])
        return PreparedLabel(classes.index(label) if label in classes else 0, len(classes))

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedLabel,
        prediction: Numbers | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Combine the answer with the class of the case; all values are of the whole data set."""
        from evaluation.problems.labels import score_answer

        return score_answer(reference.code, prediction)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From the answers."""
        from evaluation.scoring.classification_evidence import recompute_classification

        return recompute_classification(metric, evidence, multiplicities)

    def reported_reasons(
        self, assessment: Assessment, table: PredictionTable, reasons: dict[str, Issue], references: TableReferences
    ) -> dict[str, Issue]:
        """The first rows that are not valid, and the metrics that lack columns."""
        from evaluation.readers import ReadError
        from evaluation.readers.tables import LABELS_FILE

        assert isinstance(table, LabelPredictions)
        answers = table.answers
        first_reasons = dict(list(reasons.items())[:SHOWN_REASONS])
        lacking = [use.name for use in assessment.computed if answers.scores is None and self.metrics.needs_scores(use)]
        if lacking and answers.answered.any():
            columns = f"no columns p_<class>, which {', '.join(lacking)} need"
            first_reasons[""] = ReadError("table", LABELS_FILE, columns).issue
        return first_reasons

    def predictions_of(
        self, table: PredictionTable, cases: Sequence[str], reasons: Mapping[str, Issue]
    ) -> Mapping[str, Any]:
        """Return predictions that are created on access, because `ClassificationPerformance.score_at_once` accesses none."""
        assert isinstance(table, LabelPredictions)
        return AnswersByCase(table)


def _score_words(expected: ExpectedTable) -> str:
    """Describe the columns of scores."""
    if expected.scores == ANY_SCORE:
        needed = (
            f"The column `label` names the class that is decided for; {', '.join(expected.need_labels)} need it."
            if expected.need_labels
            else "No column `label` is needed."
        )
        return (
            "It needs one column `p_<class>` with a finite number for each class, of which only the order counts. "
            f"For two classes, one column is enough. {needed}"
        )
    return (
        "It needs one column `p_<class>` with a probability from 0 to 1 for each class; those of a row sum to 1. A column "
        "`label` is optional and decides where it exists; without it the highest probability does."
    )


def _votes(tables: Mapping[str, Mapping[str, str]], case: str) -> str:
    return ", ".join(f"{name}: {table[case][:40]}" for name, table in tables.items() if case in table)


PROBLEM = ImageClassification()
