"""The evidence of a data set in memory: two lists of numbers a case, for every algorithm, metric and region."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.catalogue import catalogue_version
from evaluation.version import __version__

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.metrics.values import FloatArray

SCHEMA: Final = 1
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """The evidence of one algorithm in one region, for one or more metrics.

    Attributes
    ----------
    part
        Metrics of the block: the name of a metric, or a name that the header defines for several.
    region
        Region of the block; empty if it serves all regions.
    cases
        Every case of the data set, ascending, regardless of the predictions.
    counts, values
        All lists of whole and of floating-point numbers, concatenated.
    count_starts, value_starts
        Start of each case's list, followed by the end of the last list: one entry more than cases.
    """

    part: str
    algorithm: str
    region: str
    cases: tuple[str, ...]
    counts: IntArray
    count_starts: IntArray
    values: FloatArray
    value_starts: IntArray

    @classmethod
    def of_lists(
        cls,
        part: str,
        algorithm: str,
        region: str,
        cases: Sequence[str],
        counts: Sequence[Sequence[int]],
        values: Sequence[Sequence[float]],
    ) -> Block:
        """Make a block of one list of each kind a case."""
        return cls(
            part=part,
            algorithm=algorithm,
            region=region,
            cases=tuple(cases),
            counts=np.array([number for numbers in counts for number in numbers], dtype=np.int64),
            count_starts=np.cumsum([0, *(len(numbers) for numbers in counts)], dtype=np.int64),
            values=np.array([number for numbers in values for number in numbers], dtype=np.float64),
            value_starts=np.cumsum([0, *(len(numbers) for numbers in values)], dtype=np.int64),
        )

    def of_cases(self, cases: Collection[str]) -> Block:
        """The same block of some of its cases alone."""
        places = [index for index, case in enumerate(self.cases) if case in cases]
        counts = [self.counts[self.count_starts[index] : self.count_starts[index + 1]] for index in places]
        values = [self.values[self.value_starts[index] : self.value_starts[index + 1]] for index in places]
        return replace(
            self,
            cases=tuple(self.cases[index] for index in places),
            counts=np.concatenate([self.counts[:0], *counts]),
            count_starts=np.cumsum([0, *map(len, counts)], dtype=np.int64),
            values=np.concatenate([self.values[:0], *values]),
            value_starts=np.cumsum([0, *map(len, values)], dtype=np.int64),
        )


@dataclass(frozen=True)
class CaseEvidence:
    """Evidence for the value of one metric, for one algorithm in one region; the input of `recompute`.

    Attributes
    ----------
    problem
        Problem of the assessment.
    region
        The requested region; empty for a value over all classes.
    block
        Numbers of the metric, case by case.
    shared
        Properties of all cases, from the header.
    """

    problem: str
    region: str
    block: Block
    shared: Mapping[str, Any]

    @property
    def cases(self) -> tuple[str, ...]:
        """Names of the cases, ascending: the columns of multiplicities."""
        return self.block.cases


@dataclass(frozen=True)
class Evidence:
    """The evidence of one or more algorithms.

    Attributes
    ----------
    header
        Header as in the file.
    blocks
        Blocks by part, algorithm and region.
    """

    header: Mapping[str, Any]
    blocks: Mapping[tuple[str, str, str], Block]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names, ascending."""
        return tuple(sorted({block.algorithm for block in self.blocks.values()}))

    @property
    def cases(self) -> tuple[str, ...]:
        """Names, ascending; the same for all algorithms."""
        return next(iter(self.blocks.values())).cases if self.blocks else ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that can be recomputed."""
        return tuple(self.header["metrics"])

    def renamed(self, algorithm: str) -> Evidence:
        """The same evidence of one algorithm under another name.

        Raises
        ------
        ValueError
            If there is evidence of several.
        """
        if len(self.algorithms) > 1:
            message = f"evidence of {len(self.algorithms)} algorithms cannot have one name"
            raise ValueError(message)
        blocks = [replace(block, algorithm=algorithm) for block in self.blocks.values()]
        return Evidence(self.header, {(block.part, block.algorithm, block.region): block for block in blocks})

    def of_cases(self, cases: Collection[str]) -> Evidence:
        """The same evidence of some of the cases alone."""
        return Evidence(self.header, {key: block.of_cases(cases) for key, block in self.blocks.items()})

    def select(self, metric: str, algorithm: str, region: str = "") -> CaseEvidence:
        """Return the evidence of one value of the results table.

        Raises
        ------
        KeyError
            If there is none.
        """
        entry = self.header["metrics"].get(metric)
        part = metric if entry is None else entry.get("part", metric)
        for key in ((part, algorithm, region), (part, algorithm, "")):
            if entry is not None and key in self.blocks:
                return CaseEvidence(self.header["problem"], region, self.blocks[key], self.header["shared"])
        message = f"no evidence of metric {metric!r} for algorithm {algorithm!r}" + (
            f" in {region!r}" if region else ""
        )
        raise KeyError(message)


def make_evidence(
    assessment: Assessment, blocks: Iterable[Block], *, parts: Mapping[str, str], shared: Mapping[str, Any]
) -> Evidence:
    """Put the blocks of all algorithms together.

    Parameters
    ----------
    assessment
        What was scored.
    blocks
        Of every algorithm.
    parts
        Name of the part of every metric that can be recomputed, by the metric's name.
    shared
        What `CaseEvidence.shared` will hold; JSON values.
    """
    header = {
        "schema": SCHEMA,
        "problem": assessment.problem,
        "assessment": assessment.digest,
        "metrics": {
            use.name: {"id": use.id, "options": dict(use.options), "part": parts[use.name]}
            for use in assessment.computed
            if use.name in parts
        },
        "shared": dict(shared),
        "versions": {"podium": __version__, "catalogue": catalogue_version(), "numpy": np.__version__},
    }
    return Evidence(header, {(block.part, block.algorithm, block.region): block for block in blocks})
