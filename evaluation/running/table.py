"""The table of runs (`runs.parquet`): what it took to run an algorithm on each case, part of an execution's evidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Final

from evaluation import durable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    import pandas as pd


@dataclass(frozen=True)
class RunRow:
    """A case of an execution; a column is named as its unit is."""

    case: str
    batch: str
    attempt: int
    outcome: str
    exit_code: int | None = None
    signal: int | None = None
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    peak_memory_mib: float | None = None
    high_water_mib: float | None = None
    gpu_seconds: float | None = None
    gpu_peak_memory_mib: float | None = None
    energy_joule: float | None = None
    output_bytes: int | None = None
    log_bytes: int | None = None
    host_class: str = ""
    engine: str = ""
    runtime: str = ""
    started_at: datetime | None = None


COLUMNS: Final = tuple(field.name for field in fields(RunRow))
_INTEGERS: Final = ("attempt", "exit_code", "signal", "output_bytes", "log_bytes")
_TEXTS: Final = ("case", "batch", "outcome", "host_class", "engine", "runtime")


def runs_table(rows: Iterable[RunRow]) -> pd.DataFrame:
    """Make the table of runs, sorted by case."""
    import pandas as pd

    table = pd.DataFrame([asdict(row) for row in rows], columns=list(COLUMNS))
    for name in COLUMNS:
        if name == "started_at":
            table[name] = pd.to_datetime(table[name], utc=True).astype("datetime64[us, UTC]")
        elif name in _TEXTS:
            table[name] = table[name].astype("string")
        else:
            table[name] = table[name].astype("Int64" if name in _INTEGERS else "Float64")
    return table.sort_values(["case", "batch", "attempt"], ignore_index=True)


def write_runs(table: pd.DataFrame, path: Path) -> str:
    """Write `runs.parquet` and return its digest, ``sha256:…``; the same table gives the same bytes."""
    import hashlib

    with durable.replacing_path(path) as part:
        table.to_parquet(part, engine="pyarrow", compression="zstd", index=False)
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def read_runs(path: Path) -> pd.DataFrame:
    """Read `runs.parquet`."""
    import pandas as pd

    return pd.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
