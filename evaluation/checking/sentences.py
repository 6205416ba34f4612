"""Catalogue of the sentences about submitted predictions: one entry per finding, with its severity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evaluation.checking.findings import Finding, Severity

if TYPE_CHECKING:
    from evaluation.readers import Issue


class Sentence(NamedTuple):
    """Severity, reason and remedy of a finding; names in braces are filled in."""

    severity: Severity
    reason: str
    remedy: str = ""


_NOTE, _HOLD, _REJECT = Severity.NOTE, Severity.HOLD, Severity.REJECT

SENTENCES: Final[dict[str, Sentence]] = {
    # Files and cases
    "file_missing": Sentence(_REJECT, "There is no file for {case}", "Add {case}{ending}."),
    "file_misnamed": Sentence(
        _REJECT, "There is no file for {case}; {file} looks as if it were meant", "Rename {file} to {case}{ending}."
    ),
    "file_pattern": Sentence(
        _REJECT,
        "There is no file for {case}; most files follow the pattern {value}",
        "Rename all of them, for example {file} to {case}{ending}.",
    ),
    "file_format": Sentence(
        _REJECT, "There is no file for {case}; {file} has a format that is not read", "Save it as {case}{ending}."
    ),
    "file_duplicate": Sentence(_REJECT, "{case} has {count} files: {files}", "Keep one file for each case."),
    "file_intended": Sentence(_NOTE, "meant for {case}?"),
    "file_nested": Sentence(_NOTE, "an archive inside the archive is not opened; pack its files directly"),
    "file_not_read": Sentence(_NOTE, "not {words} that is read; ignored"),
    "file_of_no_case": Sentence(_NOTE, "no case of this name; ignored"),
    "nothing_found": Sentence(
        _REJECT,
        "None of the {count} cases has a prediction that can be read",
        "Compare names and formats of your files with those that are expected.",
    ),
    # Rows of a table
    "row_missing": Sentence(_REJECT, "{file} has no row for {case}", "Add a row for {case}."),
    "row_misnamed": Sentence(
        _REJECT,
        "{file} has no row for {case}; its case {value} looks as if it were meant",
        "Rename {value} to {case} in the table.",
    ),
    "row_intended": Sentence(_NOTE, "meant for {case}?"),
    "row_of_no_case": Sentence(_NOTE, "no case of this name; ignored"),
    "table_not_read": Sentence(_NOTE, "only {files} is read; ignored"),
    "table_missing": Sentence(_REJECT, "There is no {files} among the files", "Add it."),
    "table_misnamed": Sentence(_REJECT, "There is no {files} among the files", "Rename {file} to it."),
    "table_duplicate": Sentence(_REJECT, "There are {count} tables: {files}", "Keep one."),
    # All cases together
    "one_object_in_pieces": Sentence(
        _HOLD,
        "{count} of {total} label maps contain a single object, which is in {pieces} pieces in case {case}",
        "If this is a semantic mask, give every object its own number. If each case has one object, confirm.",
    ),
    "no_background": Sentence(
        _HOLD,
        "No voxel of any of the {total} files has the background label 0; the labels are {value}",
        "Check that 0 is the background and that labels are not one too high. If they are right, confirm.",
    ),
    "identical_predictions": Sentence(
        _HOLD,
        "The predictions for all {total} cases are identical",
        "Check that each case has its own prediction. If they are right, confirm.",
    ),
    "repeated_predictions": Sentence(
        _HOLD,
        "The predictions for all {total} cases are those of your submission {number}",
        "If you want to use another attempt for them, confirm.",
    ),
    "shifted_grid": Sentence(
        _NOTE,
        "The grids of {count} of {total} files are displaced, at most by {shift} in case {case}; this is less than half a "
        "voxel or the accuracy of a quaternion, so they count as the expected grids",
    ),
    "swapped_axes": Sentence(
        _HOLD,
        "All {total} files have the expected sizes in another order of the axes",
        "Swap the axes before saving, for instance with numpy.transpose.",
    ),
    "same_place": Sentence(
        _HOLD,
        "All {total} files are displaced",
        "Copy the header (origin, direction, spacing) of the input image to every prediction.",
    ),
    "same_orientation": Sentence(
        _HOLD,
        "The axes of all {total} files run in other directions than expected",
        "Copy the header (origin, direction, spacing) of the input image to every prediction.",
    ),
    "probabilities_as_labels": Sentence(
        _HOLD,
        "All {total} files have values that are not whole numbers",
        "Save the label of each voxel, for instance with numpy.argmax, not probabilities.",
    ),
    "names_of_no_case": Sentence(
        _HOLD,
        "{file}: 0 of {total} {words} match the cases of the task; the first are {files}",
        "Use {value}.",
    ),
    "boxes_in_unit": Sentence(
        _HOLD,
        "All {total} boxes lie between 0 and 1",
        "Save coordinates in pixels, not as shares of the image. If they are right, confirm.",
    ),
    "boxes_as_sizes": Sentence(
        _HOLD,
        "{count} of {total} boxes have no extent",
        "Save the corners x_min, y_min, x_max, y_max; these look like x, y, width and height.",
    ),
    "boxes_as_corners": Sentence(
        _HOLD,
        "Each of the {total} boxes is wider and higher than its distance from the first pixel",
        "COCO boxes are [x, y, width, height]; these look like [x_min, y_min, x_max, y_max]. If they are right, confirm.",
    ),
    "rows_not_used": Sentence(
        _HOLD,
        "{file}: {count} of {total} rows are not used; the first is {reason}",
        "Correct or remove these rows. If they may be ignored, confirm.",
    ),
    "parts_not_used": Sentence(
        _HOLD,
        "{count} of {total} objects or rows are not used; the first is {reason}",
        "Correct the entries. If they may be ignored, confirm.",
    ),
}

OF_EVERY_CASE: Final = frozenset(
    {"swapped_axes", "same_place", "same_orientation", "probabilities_as_labels", "names_of_no_case"}
)
"""Questions about a fault of every case: no case can be scored unless it is corrected."""


def finding(finding_id: str, **facts: Any) -> Finding:
    """Return the finding of an entry of the catalogue, filled in with `facts`.

    Parameters
    ----------
    facts
        Values of the names in the sentence, and of ``file``, ``case``, ``row`` and ``value`` of the finding.

    Examples
    --------
    >>> finding("file_missing", case="case_1", ending=".nii.gz").sentence
    'There is no file for case_1. Add case_1.nii.gz.'
    """
    severity, reason, remedy = SENTENCES[finding_id]
    # Only the sentences are templates; what is filled in may contain braces.
    return Finding(
        finding_id,
        severity,
        reason.format_map(facts),
        remedy.format_map(facts),
        file=str(facts.get("file", "")),
        case=str(facts.get("case", "")),
        row=facts.get("row"),
        value=str(facts.get("value", "")),
    )


def of_issue(issue: Issue, *, case: str = "", file: str = "") -> Finding:
    """Return the rejection of a file or row that its reader refused; the reader's catalogue has the words."""
    return Finding(
        issue.kind,
        Severity.REJECT,
        issue.message,
        issue.remedy,
        file=file,
        case=case,
        row=issue.row,
        value=issue.cell,
    )
