"""Assignment of archive files to expected cases, with suggestions for misnamed files."""

from collections.abc import Iterable, Sequence

from confinement.archive import Member
from evaluation.checking import Finding as Checked
from evaluation.checking import assign
from executions.scoring.domain.report import Extra, Finding, Report, Status

EXTRAS_SHOWN = 100
_INVALID = ("file_duplicate",)


def match(
    members: Iterable[Member],
    names: Sequence[str],
    suffixes: Sequence[str],
    *,
    words: str = "label image",
    pattern: str = "",
    ending: str = "",
) -> Report:
    """Assign files to cases by their names: `<case><suffix>`, in any folder.

    Parameters
    ----------
    members
        Files of the archive.
    names
        The expected cases.
    suffixes
        Supported file endings. If an ending contains another, the longer one comes first.
    words
        Name for the file of a case in messages.
    pattern
        Further names of files that the assessment registers.
    ending
        Recommended ending, by default the first.

    Returns
    -------
    Report
        With `members`, and findings for missing and duplicate cases.
    """

    def ending_of(name: str) -> str:
        return next((suffix for suffix in suffixes if name.lower().endswith(suffix)), "")

    def stem_of(name: str) -> str:
        ending = ending_of(name)
        return name[: -len(ending)] if ending else ""

    assignment = assign(
        (member.path for member in members),
        names,
        stem_of,
        ending_of=ending_of,
        ending=ending or suffixes[0],
        words=words,
        pattern=pattern,
    )
    report = Report(inspected=True, members=assignment.files)
    report.findings = {case: reported(finding) for case, finding in assignment.findings.items()}
    report.extra = [Extra(path, note.reason) for path, note in list(assignment.extra.items())[:EXTRAS_SHOWN]]
    report.extra_total = len(assignment.extra)
    return report


def reported(finding: Checked) -> Finding:
    """Return the finding of a case in the form of the report."""
    is_missing = finding.id.startswith(("file_", "row_")) and finding.id not in _INVALID
    return Finding(
        finding.case,
        Status.MISSING if is_missing else Status.INVALID,
        kind=finding.id,
        file=finding.file,
        message=finding.reason,
        remedy=finding.remedy,
    )
