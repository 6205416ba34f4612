"""Evidence as a Parquet file: one row a case, with a JSON header."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from evaluation import durable
from evaluation.canonical import sha256
from evaluation.readers import ReadError
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.scoring.evidence_blocks import SCHEMA, Block, Evidence, IntArray, make_evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluation.assessment.model import Assessment

COLUMNS: Final = ("part", "algorithm", "case", "region", "counts", "values")
_HEADER: Final = b"podium.evidence"
_SAME: Final = ("problem", "metrics", "shared")


def write_evidence(
    path: Path | str,
    assessment: Assessment,
    blocks: Iterable[Block],
    *,
    parts: Mapping[str, str],
    shared: Mapping[str, Any],
) -> None:
    """Write evidence as a Parquet file, one row group per block.

    The file gets its name when it is complete. The other parameters are those of `make_evidence`.
    """
    with durable.replacing(Path(path)) as stream:
        save_evidence(stream, make_evidence(assessment, blocks, parts=parts, shared=shared))


def save_evidence(target: IO[bytes], evidence: Evidence) -> None:
    """Write evidence into a stream as a Parquet file, one row group per block."""
    import pyarrow as pa
    from pyarrow import parquet

    text = json.dumps(evidence.header, ensure_ascii=False, allow_nan=False)
    names = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            ("part", names),
            ("algorithm", names),
            ("case", pa.string()),
            ("region", names),
            ("counts", pa.large_list(pa.int64())),
            ("values", pa.large_list(pa.float64())),
        ],
        metadata={_HEADER: text.encode()},
    )
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for block in evidence.blocks.values():
            same = [
                pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(block.cases), dtype=np.int32)), pa.array([name]))
                for name in (block.part, block.algorithm, block.region)
            ]
            lists = [
                pa.LargeListArray.from_arrays(pa.array(starts), pa.array(flat))
                for starts, flat in ((block.count_starts, block.counts), (block.value_starts, block.values))
            ]
            columns = [same[0], same[1], pa.array(block.cases, pa.string()), same[2], *lists]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def read_evidence(*paths: Path | str, limits: Limits = DEFAULT) -> Evidence:
    """Read one or more files of evidence and merge them.

    Raises
    ------
    ReadError
        With kind ``not_found``, ``too_large`` or ``table``. Kind ``table`` covers files other than Parquet
        files with that header, different assessments, duplicate entries, and algorithms with different cases.
    """
    return merge_evidence((path.name, _read_one(path, limits)) for path in map(Path, paths))


def read_evidence_bytes(content: bytes, name: str, *, limits: Limits = DEFAULT) -> Evidence:
    """Read a file of evidence that is in memory; ``name`` is for messages. Raises what `read_evidence` raises."""
    if len(content) > limits.table_bytes:
        raise ReadError("too_large", name, f"{len(content):,} bytes", f"at most {limits.table_bytes:,}")
    return _parsed(io.BytesIO(content), name, limits)


def merge_evidence(named: Iterable[tuple[str, Evidence]]) -> Evidence:
    """Merge the evidence of several algorithms; each comes with a name for messages.

    Raises
    ------
    ReadError
        With kind ``table``: evidence of different metrics or data sets, a duplicate entry, or algorithms with
        different cases.
    """
    header: Mapping[str, Any] = {}
    blocks: dict[tuple[str, str, str], Block] = {}
    names = []
    for name, evidence in named:
        names.append(name)
        if header and any(evidence.header[key] != header[key] for key in _SAME):
            raise ReadError("table", name, "evidence of other metrics or of another data set")
        header = header or evidence.header
        for key, block in evidence.blocks.items():
            if key in blocks:
                raise ReadError("table", name, f"{block.algorithm} stands there twice", "every algorithm once")
            blocks[key] = block
    if len({block.cases for block in blocks.values()}) > 1:
        raise ReadError("table", ", ".join(names), "algorithms with different cases")
    return Evidence(header, blocks)


def _read_one(path: Path, limits: Limits) -> Evidence:
    name = path.name
    if not path.is_file():
        raise ReadError("not_found", name, "there is no such file")
    if path.stat().st_size > limits.table_bytes:
        raise ReadError("too_large", name, f"{path.stat().st_size:,} bytes", f"at most {limits.table_bytes:,}")
    return _parsed(path, name, limits)


def _parsed(source: Path | BinaryIO, name: str, limits: Limits) -> Evidence:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(source) as file:
            header = json.loads((file.schema_arrow.metadata or {})[_HEADER])
            declared = sum(
                file.metadata.row_group(group).total_byte_size for group in range(file.metadata.num_row_groups)
            )
            if file.metadata.num_rows > limits.table_rows or declared > limits.decoded_bytes:
                raise ReadError("too_large", name, f"{file.metadata.num_rows:,} rows, {declared:,} bytes")
            table = file.read(list(COLUMNS), use_threads=False)
        if header["schema"] != SCHEMA or not set(_SAME) <= set(header):
            raise ReadError("table", name, "another kind of evidence", f"schema {SCHEMA}")
        return Evidence(header, _blocks(table, name))
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError("table", name, "no file of evidence", "what `score --evidence` writes") from None


def _blocks(table: Any, name: str) -> dict[tuple[str, str, str], Block]:
    """Cut a table where part, algorithm or region change."""
    import pyarrow.compute as pc

    if not len(table):
        return {}
    keys = []
    for column in ("part", "algorithm", "region"):
        coded = pc.dictionary_encode(pc.cast(table[column].combine_chunks(), "string"))
        keys.append((coded.indices.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist()))
    cases = table["case"].combine_chunks()
    counts, values = table["counts"].combine_chunks(), table["values"].combine_chunks()
    changes = np.zeros(len(table), dtype=bool)
    for codes, _ in keys:
        changes[1:] |= codes[1:] != codes[:-1]
    starts = np.concatenate([[0], np.flatnonzero(changes)]) if len(table) else np.zeros(0, dtype=np.int64)
    stops = np.append(starts[1:], len(table))
    blocks: dict[tuple[str, str, str], Block] = {}
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        part, algorithm, region = (names[codes[start]] for codes, names in keys)
        named = tuple(cases.slice(start, stop - start).to_pylist())
        if list(named) != sorted(set(named)):
            message = "cases have to ascend"
            raise ValueError(message)
        if (part, algorithm, region) in blocks:
            raise ReadError("table", name, f"{algorithm} stands there twice", "every algorithm once")
        flat = [_ragged(column.slice(start, stop - start)) for column in (counts, values)]
        blocks[part, algorithm, region] = Block(
            part=part,
            algorithm=algorithm,
            region=region,
            cases=named,
            counts=flat[0][0].astype(np.int64, copy=False),
            count_starts=flat[0][1],
            values=flat[1][0].astype(np.float64, copy=False),
            value_starts=flat[1][1],
        )
    return blocks


def _ragged(lists: Any) -> tuple[npt.NDArray[Any], IntArray]:
    offsets = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    flat = lists.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0])).to_numpy(zero_copy_only=False)
    return flat, offsets - offsets[0]


def evidence_digest(evidence: Evidence) -> str:
    """Return a digest of the evidence of one algorithm, independent of its name and of the storage.

    The digest is SHA-256 over the canonical JSON of problem, metrics, properties that the cases share, and
    every block. Each block, by part and region, contributes its cases and the SHA-256 of each array (64-bit,
    little-endian). The versions that wrote the evidence are excluded.
    """
    blocks = sorted(evidence.blocks.values(), key=lambda block: (block.part, block.region))
    return sha256(
        {
            **{key: evidence.header[key] for key in ("schema", "problem", "metrics", "shared")},
            "blocks": [
                {
                    "part": block.part,
                    "region": block.region,
                    "cases": list(block.cases),
                    "arrays": [
                        _array_digest(block.counts, "<i8"),
                        _array_digest(block.count_starts, "<i8"),
                        _array_digest(block.values, "<f8"),
                        _array_digest(block.value_starts, "<i8"),
                    ],
                }
                for block in blocks
            ],
        }
    )


def _array_digest(array: npt.NDArray[Any], dtype: str) -> str:
    # Adding nothing turns a negative zero, which equals zero, into it.
    return hashlib.sha256((array.astype(dtype) + 0).astype(dtype).tobytes()).hexdigest()
