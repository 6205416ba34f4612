"""Findings of the checks before the upload, in the words of `evaluation.checking`."""

from evaluation.checking import Finding

__all__ = ["Finding"]
