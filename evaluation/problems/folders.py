"""Folders of references and predictions: which file is which case, and what is known of the cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.checking.naming import is_hidden
from evaluation.readers import ReadError, case_name
from evaluation.readers.cells import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CASES_FILE = "cases.csv"


def case_of_image(name: str) -> str:
    """The case that an image is of, by its name; empty for another file."""
    split_name = case_name(Path(name))
    return split_name[0] if split_name else ""


def find_cases(
    folder: Path, case_of: Callable[[str], str] = case_of_image, *, takes_folders: bool = False
) -> dict[str, Path]:
    """Find the files of a folder, by case, sorted.

    Parameters
    ----------
    case_of
        Function that returns the case of a file name; empty if the file is not read.
    takes_folders
        Whether a folder of DICOM files, named as a case without a file, is the image of that case.

    Raises
    ------
    ReadError
        If the folder does not exist, or two files belong to the same case.
    """
    if not folder.is_dir():
        raise ReadError("not_found", folder.name or str(folder), "folder not found")
    cases: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        case = case_of(path.name)
        if not case or path.name.startswith(".") or not path.is_file():
            continue
        if case in cases:
            files = f"{cases[case].name} and {path.name} are both of the case {case}"
            raise ReadError("duplicate", folder.name or str(folder), files, "one file for each case")
        cases[case] = path
    if not takes_folders:
        return cases
    return dict(sorted((_dicom_folders(folder, cases) | cases).items()))


def _dicom_folders(folder: Path, cases: Mapping[str, Path]) -> dict[str, Path]:
    """Subfolders with DICOM files, except those of cases that have a file."""
    from evaluation.readers.dicom import is_dicom
    from evaluation.readers.dicom.parts import HEAD_BYTES

    folders = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in cases or not path.is_dir():
            continue
        for file in path.rglob("*"):
            if not file.is_file() or case_name(file) not in (None, (file.name[:-4], ".dcm")):
                continue
            with file.open("rb") as opened:
                if is_dicom(opened.read(HEAD_BYTES)):
                    folders[path.name] = path
                    break
    return folders


def visible_files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder and its subfolders by their relative paths, sorted; without hidden ones.

    Raises
    ------
    ReadError
        If the folder does not exist.
    """
    if not folder.is_dir():
        raise ReadError("not_found", folder.name or str(folder), "folder not found")
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path for name, path in files.items() if not is_hidden(name)}


def patients_of(references: Path, cases: Sequence[str]) -> dict[str, str] | None:
    """Return the patient of each case from ``cases.csv`` next to the references.

    The result is ``None`` without the file or without a column ``patient``. A case without a row is its own patient.
    """
    path = references / CASES_FILE
    if not path.is_file():
        return None
    table = read_table(path, ("case",))
    if "patient" not in table:
        return None
    patients = dict(zip(table.text("case"), table.columns["patient"], strict=True))
    return {case: patients.get(case, case) for case in cases}


def facts_of(references: Path, cases: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the row of ``cases.csv`` next to the references for each case, by column.

    Rows are empty without the file.
    """
    path = references / CASES_FILE
    if not path.is_file():
        return {case: {} for case in cases}
    table = read_table(path, ("case",))
    rows = {case: row for row, case in enumerate(table.text("case"))}
    return {
        case: {name: cells[rows[case]] for name, cells in table.columns.items() if name != "case"}
        if case in rows
        else {}
        for case in cases
    }
