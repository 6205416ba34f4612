"""Bounds on documents from strangers, checked before anything is parsed."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluation.designs.imports.lines import DesignFileError

if TYPE_CHECKING:
    from pathlib import Path

_MIB: Final = 1024**2
_BLOCK: Final = 64 * 1024
_OLD_OFFICE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF_HEAD: Final = 1024
_MARK: Final = b"\xef\xbb\xbf"
_ENCRYPTED: Final = 0x1


@dataclass(frozen=True)
class DocumentLimits:
    """Limits of a document.

    Attributes
    ----------
    file_bytes
        Size of the file in bytes.
    parts, unpacked_bytes, xml_bytes
        Number of files in a Word document, their total size in bytes, and the size of its text in bytes.
    pages, characters
        Number of pages of a PDF, and number of characters of any document.
    """

    file_bytes: int = 20 * _MIB
    parts: int = 2_000
    unpacked_bytes: int = 200 * _MIB
    xml_bytes: int = 24 * _MIB
    pages: int = 400
    characters: int = 2_000_000


DEFAULT: Final = DocumentLimits()


def kind_of(path: Path, name: str, limits: DocumentLimits = DEFAULT) -> str:
    """Return ``docx``, ``pdf`` or ``json`` by the content of a file, and check its bounds.

    Parameters
    ----------
    name
        Name for messages.

    Raises
    ------
    DesignFileError
        For a file that is too large, of another kind, encrypted, or that contains macros or entities.
    """
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise DesignFileError(
            name,
            f"The file has {size:,} bytes; at most {limits.file_bytes:,} are read.",
            "Remove or compress its pictures.",
        )
    with path.open("rb") as stream:
        head = stream.read(_PDF_HEAD)
    if not head:
        raise DesignFileError(name, "The file is empty.", "Export the document again.")
    if head.startswith(_OLD_OFFICE):
        raise DesignFileError(
            name,
            "This is an older Word file (.doc), or a Word file with a password.",
            "Save it in Word as .docx without a password.",
        )
    if b"%PDF-" in head:
        return "pdf"
    if head.startswith(b"PK"):
        _check_word(path, name, limits)
        return "docx"
    if head.removeprefix(_MARK).lstrip()[:1] in (b"{", b"["):
        return "json"
    raise DesignFileError(
        name, "This is neither a Word document (.docx) nor a PDF.", "Save the document as .docx or PDF."
    )


def _check_word(path: Path, name: str, limits: DocumentLimits) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            _check_parts(parts, name, limits)
            for part in parts:
                if part.filename.lower().endswith((".xml", ".rels")):
                    _check_xml(archive, part, name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        if isinstance(error, DesignFileError):
            raise
        raise DesignFileError(
            name, "The Word file is damaged.", "Open it in Word and save it again as .docx."
        ) from error


def _check_parts(parts: list[zipfile.ZipInfo], name: str, limits: DocumentLimits) -> None:
    names = {part.filename for part in parts}
    if "word/document.xml" not in names or len(names) != len(parts):
        raise DesignFileError(name, "This archive is no Word document.", "Save the document in Word as .docx.")
    if any(part.filename.lower().endswith(("vbaproject.bin", "vbadata.xml")) for part in parts):
        raise DesignFileError(
            name, "The Word file contains macros, which are never run or read.", "Save it as .docx without macros."
        )
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise DesignFileError(name, "The Word file is encrypted.", "Save it without a password.")
    unpacked = sum(part.file_size for part in parts)
    text = next(part.file_size for part in parts if part.filename == "word/document.xml")
    if len(parts) > limits.parts or unpacked > limits.unpacked_bytes or text > limits.xml_bytes:
        raise DesignFileError(
            name,
            f"The Word file unpacks to {len(parts):,} files and {unpacked:,} bytes, {text:,} of them text; at most"
            f" {limits.parts:,} files, {limits.unpacked_bytes:,} bytes and {limits.xml_bytes:,} bytes of text are read.",
            "Remove embedded pictures and objects.",
        )


def _check_xml(archive: zipfile.ZipFile, part: zipfile.ZipInfo, name: str) -> None:
    """Refuse document types, and parts that unpack to more than they state."""
    read, before = 0, b""
    with archive.open(part) as stream:
        while block := stream.read(_BLOCK):
            read += len(block)
            # UTF-16 writes a zero byte next to each letter.
            window = (before + block).replace(b"\x00", b"")
            if b"<!DOCTYPE" in window or b"<!ENTITY" in window:
                raise DesignFileError(
                    name,
                    f"{part.filename} declares a document type or entities, which no Word file needs.",
                    "Open the document in Word and save it again as .docx.",
                )
            before = block[-32:]
            if read > part.file_size:
                raise DesignFileError(
                    name, f"{part.filename} is larger than the archive states.", "Save the document again as .docx."
                )
