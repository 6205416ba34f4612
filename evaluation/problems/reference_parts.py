"""References of several files a case: found in folders, kept as one archive, and opened again."""

from __future__ import annotations

import zipfile
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from evaluation.problems.files import FileProblem
from evaluation.readers import ReadError
from evaluation.readers.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evaluation.assessment.model import Assessment

ENDING: Final = ".zip"
_MOST_PARTS: Final = 32
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
_PIECE: Final = 1 << 20


class PartsProblem(FileProblem):
    """A kind whose references may consist of several files per case; a platform stores them as one archive.

    `read_reference` accepts both the files of a folder and the archive of a platform. Subclasses define which files
    belong together and read them.
    """

    def parts_of(self, path: Path) -> dict[str, Path]:
        """The files of a reference by what they are, without their endings.

        Parameters
        ----------
        path
            What `find_references` gives: a file or a folder.
        """
        return {part_name(each): each for each in sorted(path.iterdir()) if each.is_file()}

    def read_parts(self, assessment: Assessment, parts: Mapping[str, Path]) -> object:
        """Read a reference.

        Raises
        ------
        ReadError
            If it cannot be taken.
        """
        raise NotImplementedError

    def read_reference(self, assessment: Assessment, path: Path) -> object:
        """Read a reference from a folder, or from the archive that a platform keeps."""
        if path.suffix != ENDING:
            return self.read_parts(assessment, self.parts_of(path))
        with opened(path) as parts:
            return self.read_parts(assessment, parts)

    def packed(self, path: Path, folder: Path) -> Path:
        """One file with all parts, the same bytes for the same parts; a reference of one part is its file."""
        parts = self.parts_of(path)
        if path.is_file() and len(parts) == 1:
            return path
        target = folder / f"reference{ENDING}"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
            for name, part in sorted(parts.items()):
                entry = zipfile.ZipInfo(f"{name}{_ending(part)}", _MOMENT)
                with file.open(entry, "w", force_zip64=True) as inside, part.open("rb") as content:
                    while piece := content.read(_PIECE):
                        inside.write(piece)
        return target


def part_name(path: Path) -> str:
    """The name of a file without the ending of its format.

    Examples
    --------
    >>> part_name(Path("fixed_labels.nii.gz")), part_name(Path("fixed_landmarks.csv"))
    ('fixed_labels', 'fixed_landmarks')
    """
    return path.name.removesuffix(_ending(path))


def _ending(path: Path) -> str:
    from evaluation.readers import case_name

    stem_and_ending = case_name(path)
    return stem_and_ending[1] if stem_and_ending is not None else path.suffix


@contextmanager
def opened(path: Path) -> Iterator[dict[str, Path]]:
    """The parts of an archive as files, which are gone afterwards.

    Raises
    ------
    ReadError
        For what `PartsProblem.packed` has not written.
    """
    with TemporaryDirectory(dir=path.parent) as folder:
        parts: dict[str, Path] = {}
        try:
            with zipfile.ZipFile(path) as file:
                entries = file.infolist()
                if len(entries) > _MOST_PARTS or sum(entry.file_size for entry in entries) > DEFAULT.decoded_bytes:
                    raise ReadError("too_large", path.name, "more files or bytes than a reference has")
                for entry in entries:
                    target = Path(folder) / PurePosixPath(entry.filename).name
                    with file.open(entry) as inside, target.open("wb") as content:
                        while piece := inside.read(_PIECE):
                            content.write(piece)
                    parts[part_name(target)] = target
        except (zipfile.BadZipFile, OSError, RuntimeError) as error:
            reason = f"no archive of a reference ({type(error).__name__})"
            raise ReadError("truncated", path.name, reason) from None
        yield parts
