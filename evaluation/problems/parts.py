"""Parts of a kind of problem: objects that the kind names as attributes of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self


class KindPart:
    """A part of a kind of problem, such as its pictures.

    A kind names it as an attribute of its class, as in ``pictures = LandmarkPictures()``. The part that an instance of the
    kind returns refers to that kind.

    Parameters
    ----------
    **attributes
        Values that differ from those of the class, as in ``MetricRules(can_be_undefined=False)``.

    Attributes
    ----------
    kind
        The kind of problem.

    Raises
    ------
    TypeError
        If the class has no such attribute.

    Examples
    --------
    >>> from evaluation.problems import get
    >>> get("landmarks").pictures.kind.id
    'landmarks'
    """

    kind: Any

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            if not hasattr(type(self), name):
                message = f"{type(self).__name__} has no attribute {name}"
                raise TypeError(message)
            setattr(self, name, value)

    def __get__(self, kind: object | None, owner: type) -> Self:
        """Return the part of one kind; the part itself for the class."""
        if kind is None:
            return self
        # Parts are read thousands of times per page. This takes a tenth of the time of `copy.copy`.
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__, kind=kind)
        return part
