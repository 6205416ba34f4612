"""Parts of an archive of references that only some have: decoys, references of several annotators, declared characteristics."""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pandas as pd

from challenges.models import Phase
from challenges.queries.projections import projection_of, registered_document
from confinement.sandbox import answers
from datastore.test_sets.domain import merging
from datastore.test_sets.queries.test_sets import has_one_table
from datastore.uploads.storage import child_limits
from evaluation.assessment import Assessment
from evaluation.assessment.columns import column_name
from evaluation.designs.document.form import Values
from evaluation.problems import kind_of
from evaluation.problems.base import Problem
from evaluation.problems.files import FileProblem, file_problem
from evaluation.problems.label_merging import MAJORITY
from evaluation.readers import ReadError
from evaluation.readers.instance_tables import INSTANCES_FILE

REFERENCES: Final = "references"
IMAGES: Final = "images"
"""Folders of an archive."""
DECOY: Final = "decoy"
"""Column of the table of cases that marks decoys."""
ANNOTATOR: Final = re.compile(r"annotator-([A-Za-z0-9][A-Za-z0-9_.-]{0,39})")
MOST_ANNOTATORS: Final = 20
_YES, _NO = ("yes", "true", "1", "1.0", "x"), ("no", "false", "0", "0.0", "", "none", "nan")
OF_CASES: Final = ("image", "patient", "device_or_centre")
"""Levels of a characteristic that a row of a case can hold."""


@dataclass
class ArchiveContent:
    """Content of an archive, named as in the archive of the organizer."""

    references: dict[str, str] = field(default_factory=dict)
    """Case → file."""
    images: dict[str, str] = field(default_factory=dict)
    annotators: dict[str, dict[str, str]] = field(default_factory=dict)
    """Annotator → case → file."""
    records: list[dict[str, Any]] | None = None
    columns: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def named(self) -> set[str]:
        """Cases with a reference."""
        return set(self.references).union(*self.annotators.values())


def registered(phase: Phase) -> Values | None:
    """Return the values of the registered design for the task of a phase.

    None for a challenge without a registration.
    """
    projection = projection_of(phase.challenge)
    if projection is None:
        return None
    document = registered_document(projection.version)
    key = phase.task.design_key
    return document.values(key if key in document.tasks else None)


def take_decoys(contents: ArchiveContent) -> list[str]:
    """Take the column of decoys out of the table of cases; what cannot be understood is added to the problems."""
    if contents.records is None or DECOY not in contents.columns:
        return []
    contents.columns = [column for column in contents.columns if column != DECOY]
    decoys = []
    for record in contents.records:
        decoy_cell = str(record.pop(DECOY, "") or "").strip().lower()
        if decoy_cell in _YES:
            decoys.append(str(record["case"]))
        elif decoy_cell not in _NO:
            contents.problems.append(
                f"cases.csv: the column {DECOY} of the case {record['case']} says “{decoy_cell[:30]}”. Write yes, no or nothing."
            )
    return decoys


def merge_rule(contents: ArchiveContent, phase: Phase, assessment: Assessment, wanted: str) -> str:
    """Return the rule by which references of the annotators in an archive are merged; empty without annotators.

    If there is a registered design, it decides.
    """
    if not contents.annotators:
        return ""
    add_problem, values, problem = contents.problems.append, registered(phase), assessment.problem
    rule_words = merging.words(problem)
    if len(contents.annotators) == 1:
        add_problem("There is one folder annotator-… only. Put the references of a single annotator into references/.")
    rule = wanted or MAJORITY if values is None else values.text("annotation_aggregation_test")
    if rule not in rule_words:
        if values is not None:
            add_problem(
                f"There are {len(contents.annotators)} annotators, and the registered design says “{rule or 'nothing'}” about how "
                f"their annotations are merged (annotation_aggregation_test). Ask for a change of it; known are {', '.join(rule_words)}."
            )
        else:
            add_problem(f"{rule} is no rule of merging. Known are {', '.join(rule_words)}.")
        return ""
    if rule in merging.given(problem):
        other = "" if values is not None else " With ranking_per_annotator, those of the first annotator are scored."
        for lacking in _lacking(contents, assessment):
            add_problem(f"{lacking} is needed beside the annotators, since the rule is {rule_words[rule]}.{other}")
    elif contents.references:
        add_problem(
            f"references/: the rule is {rule_words[rule]}; merged references are not taken. Leave the folder out."
        )
    names = sorted(contents.annotators)
    if rule in merging.EACH and not has_one_table(assessment):
        for case in sorted(contents.named - set(contents.annotators[names[0]])):
            add_problem(
                f"annotator-{names[0]}: lacks the case {case}. Without merging, the first annotator needs every case."
            )
    return rule


def _lacking(contents: ArchiveContent, assessment: Assessment) -> list[str]:
    """Merged references that are not there."""
    if not contents.references:
        names = kind_of(assessment).references.tables or ("",)
        return [" or ".join(f"references/{name}" for name in names)]
    if has_one_table(assessment):
        return []
    problem = kind_of(assessment)
    return [
        f"{case}: references/{file_of(problem, case)}" for case in sorted(contents.named - set(contents.references))
    ]


def file_of(problem: Problem, case: str) -> str:
    """Return a possible name of the file of a case."""
    return f"{case}{problem.suffixes[0] if isinstance(problem, FileProblem) else ''}"


def check_characteristics(contents: ArchiveContent, phase: Phase, cases: Sequence[str]) -> None:
    """Compare the table of cases with the characteristics that the registered design declares."""
    values = registered(phase)
    if values is None:
        return
    columns = {column_name(column): column for column in contents.columns}
    frame = pd.DataFrame(contents.records or [], columns=contents.columns)
    frame = frame[frame["case"].isin(list(cases))] if "case" in frame else frame
    for row in values.rows("image_characteristics"):
        name, kind = str(row.get("name", "")), row.get("value_type")
        if row.get("level") not in OF_CASES or not name:
            continue
        column = columns.get(column_name(name))
        if column is None:
            contents.problems.append(
                f"cases.csv: the registered design declares the characteristic “{name}” of test cases. Add a column {column_name(name)}."
            )
            continue
        present = frame[column].dropna()
        if kind == "binary" and present.nunique() > 2:
            some = ", ".join(str(value) for value in present.unique()[:3])
            contents.problems.append(
                f"cases.csv: {column} is registered as binary and has {present.nunique()} values ({some}, …). Keep two."
            )
        if kind == "numeric" and not pd.api.types.is_numeric_dtype(pd.Series(present.tolist(), dtype=None)):
            some = next((value for value in present if not isinstance(value, int | float)), "")
            contents.problems.append(
                f"cases.csv: {column} is registered as numeric and has the value “{some}”. Write numbers with a point."
            )


def check_hierarchy(contents: ArchiveContent, assessment: Assessment, cases: Sequence[str]) -> None:
    """Refuse groups that are not within one group of the level above, such as a patient of two sites."""
    levels = [level for level in assessment.aggregation.levels if level != "case"]
    rows = [record for record in contents.records or () if str(record["case"]) in set(cases)]
    for inner, outer in pairwise(levels):
        places: dict[str, set[str]] = {}
        for record in rows:
            places.setdefault(str(record.get(inner)), set()).add(str(record.get(outer)))
        for name, above in sorted(places.items()):
            if len(above) > 1:
                contents.problems.append(
                    f"cases.csv: {inner} {name} has the {outer} {' and '.join(sorted(above)[:2])}, but each {inner} lies in one "
                    f"{outer}. Correct it, or give the {inner} a name of its own in each."
                )


def join(
    contents: ArchiveContent,
    folder: Path,
    *,
    rule: str,
    decoys: Sequence[str],
    grids: Mapping[str, dict[str, Any]],
    assessment: Assessment,
    beat: Callable[[], None],
) -> dict[str, dict[str, Any]]:
    """Make the references that an archive does not contain, in confined children.

    These are merged references, and substitutes for decoys.

    Parameters
    ----------
    contents
        The content that was unpacked to `folder`. The new files are added to its references, problems to its
        problems.
    grids
        Grids of cases of the version that is replaced, for decoys without reference or image.

    Returns
    -------
    dict
        Case → facts that participants may know of each reference that was made or compared.
    """
    problem = file_problem(assessment.problem)
    names = sorted(contents.annotators)
    if rule in merging.EACH:
        instance_table = folder / f"annotator-{names[0]}" / INSTANCES_FILE
        if instance_table.is_file():
            shutil.copyfile(instance_table, folder / "references" / INSTANCES_FILE)
    bare = [case for case in decoys if case not in contents.named]

    def of_annotators(case: str) -> tuple[Path, list[Path]]:
        """The reference of a case, and the files that have to be comparable with it."""
        files = [
            folder / f"annotator-{name}" / contents.annotators[name][case]
            for name in names
            if case in contents.annotators[name]
        ]
        target = folder / "references" / case
        if rule in merging.computed(assessment.problem):
            return problem.references.merge_files(files, rule, target), []
        if rule in merging.EACH:
            reference = folder / "references" / files[0].name
            shutil.copyfile(files[0], reference)
        else:
            reference = folder / "references" / contents.references[case]
        return reference, files

    def of_decoy(case: str) -> Path:
        image = contents.images.get(case, "")
        facts = problem.references.facts_of_image(folder / "images" / image) if image else None
        facts = facts or grids.get(case)
        if facts is None:
            raise ValueError(problem.texts.no_decoy_reason.format(case=case))
        return problem.references.write_stand_in(assessment, facts, folder / "references" / case)

    def work(case: str, _own: Path) -> object:
        try:
            reference, alike = (of_decoy(case), []) if case in bare else of_annotators(case)
            facts = problem.facts_of(problem.read_reference(assessment, reference))
            for path in alike:
                problem.read_prediction(path, facts, problem.expected(assessment))
        except ReadError as error:
            return {"problem": f"{error.file}: {error.message}. {error.remedy}"}
        except (OSError, RuntimeError, ValueError) as error:
            return {"problem": " ".join(str(error).split())[:300] or type(error).__name__}
        return {"file": reference.name, "geometry": facts}

    wanted = sorted(set(bare).union(*contents.annotators.values()))
    geometries = {}
    for answer in answers(wanted, work, limits=child_limits(), beat=beat, hands_over=folder):
        value = answer.value if isinstance(answer.value, dict) else {}
        if answer.failure is not None or "file" not in value:
            contents.problems.append(
                f"{answer.item}: {value.get('problem') or f'could not be merged ({answer.failure})'}"
            )
            continue
        contents.references[answer.item], geometries[answer.item] = value["file"], value["geometry"]
    return geometries
