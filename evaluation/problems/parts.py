"""Parts of a kind of problem: objects that the kind names as attributes of its class."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self


class KindPart:
    """A part of a kind of problem, such as its pictures.

    A kind names it as an attribute of its class, as in ``pictures = LandmarkPictures()``. Where a kind is asked for it, the
    part knows that kind.

    Attributes
    ----------
    kind
        The kind of problem.

    Examples
    --------
    >>> from evaluation.problems import get
    >>> get("landmarks").pictures.kind.id
    'landmarks'
    """

    kind: Any

    def __get__(self, kind: object | None, owner: type) -> Self:
        """Return the part of one kind; the part itself for the class."""
        if kind is None:
            return self
        part = copy(self)
        part.kind = kind
        return part
