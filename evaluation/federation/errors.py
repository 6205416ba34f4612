"""Errors for parts of a federation that cannot be used."""

from __future__ import annotations


class FederationError(ValueError):
    """Raised for results, a summary or an assessment that cannot be evaluated at sites.

    The message is one line with the subject and the reason.
    """


class Refusal(FederationError):  # noqa: N818  (an answer, not a fault of the program)
    """A message that is not accepted.

    Attributes
    ----------
    code
        One word for machines, such as ``bad_signature``.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
