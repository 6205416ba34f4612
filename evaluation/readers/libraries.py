"""Calls of other libraries on files of strangers: what they raise means an invalid file, and what they log is not shown."""

from __future__ import annotations

import importlib
import logging
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

from evaluation.readers.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_LOGGERS = ("pydicom", "nibabel", "nibabel.global")


class MissingLibraryError(ImportError):
    """Error for an optional package that reads a format and is not installed."""


def load_library(name: str, formats: str) -> Any:
    """Import an optional package.

    Raises
    ------
    MissingLibraryError
        If it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        message = f"the package {name}, which reads {formats}, is not installed here"
        raise MissingLibraryError(message) from None


def decoded(decode: Callable[[], T], name: str, kind: str = "truncated") -> T:
    """Run the code of another library on an untrusted file.

    Messages of the library are not passed on, since they can quote the file: a DICOM header names the patient.

    Raises
    ------
    ReadError
        With the kind for any exception; with ``too_large`` if memory is exhausted, ``format`` if the package is missing.
    """
    loggers = [logging.getLogger(each) for each in _LOGGERS]
    silent = [log.disabled for log in loggers]
    for log in loggers:
        log.disabled = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return decode()
        except ReadError:
            raise
        except MissingLibraryError as error:
            raise ReadError("format", name, str(error)) from None
        except MemoryError:
            raise ReadError("too_large", name, "more voxels than memory holds") from None
        except Exception as error:  # noqa: BLE001  (libraries raise what they like on a crafted file)
            raise ReadError(kind, name, f"the file cannot be decoded ({type(error).__name__})") from None
        finally:
            for log, was_disabled in zip(loggers, silent, strict=True):
                log.disabled = was_disabled
