"""References of a kind of problem on a platform: their tables, their columns, and how several annotators' become one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment


class MergingRules(NamedTuple):
    """Rules by which references of several annotators become one.

    Attributes
    ----------
    computed
        Those that are computed from the annotators' references, with what they do.
    """

    computed: Mapping[str, str] = {}


class HasTables(Protocol):
    """A kind of problem, as the rules of its references need it.

    Attributes
    ----------
    table_files
        Permitted names of the single table of all predictions.
    """

    table_files: tuple[str, ...]


class ReferenceRules(KindPart):
    """References of a kind of problem on a platform; by default tables have the names of those of predictions.

    Attributes
    ----------
    files
        Permitted names of the single table of references, where they differ from those of predictions.
    additional_files
        Additional tables that may be stored next to that of the references and are read with it.
    merging
        Rules by which references of several annotators become one.
    labels_number_objects
        Whether labels in the images of references are numbers of objects and not classes.
    """

    kind: HasTables

    files: tuple[str, ...] = ()
    additional_files: tuple[str, ...] = ()
    merging: MergingRules = MergingRules()
    labels_number_objects: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """Names that the one table of references may have; empty where references are a file a case."""
        return self.files or self.kind.table_files

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Columns of the tables that belong to the references, by the names of the tables; empty where there is no table."""
        return {}
