"""Files of executions in the private storage: outputs of a batch, logs, predictions; the same content gives the same bytes."""

import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from confinement.containers.logs import Log
from datastore.uploads.storage import local_path, sha256_of, store_bytes, store_file, working_folder
from evaluation.canonical import sha256
from evaluation.problems import case_tables
from executions.models import Batch, Execution

_TIME = (2000, 1, 1, 0, 0, 0)


def store_outputs(execution: Execution, files: Mapping[str, Mapping[str, Path]]) -> tuple[str, str]:
    """Keep accepted predictions of a batch, named by their cases, as one archive under its digest; returns name and digest.

    Parameters
    ----------
    files
        Case → its file under an empty name, and the rows of the case under the name of the table that they go into.
    """
    if not files:
        return "", ""
    with working_folder() as folder:
        path = folder / "outputs.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for case in sorted(files):
                for table, file in sorted(files[case].items()):
                    _add(archive, f"{case}/{table}" if table else f"{case}{_ending(file.name)}", file)
        digest = sha256_of(path)
        name = f"algorithms/outputs/{execution.pk}/{digest}.zip"
        store_file(name, path)
    return name, digest


def store_log(batch: Batch, log: Log) -> str:
    """Keep the beginning and the end of what was printed; returns its name, empty where nothing was."""
    if not log.size:
        return ""
    content = log.text().encode()
    name = f"algorithms/logs/{batch.execution_id}/{hashlib.sha256(content).hexdigest()}.txt"
    store_bytes(name, content)
    return name


def read_log(batch: Batch) -> str:
    """Return what is kept of what was printed."""
    if not batch.log_file:
        return ""
    return local_path(batch.log_file).read_text(encoding="utf-8", errors="replace")


@contextmanager
def joined(batches: Iterable[Batch], tables_needed: Mapping[str, Sequence[str]]) -> Iterator[tuple[Path, str]]:
    """Give the predictions of all batches as one archive, as a participant would upload it, and their digest.

    Rows of single cases become one table. The digest covers the content of each case's file, not how they are packed or in which batches they were made.

    Parameters
    ----------
    tables_needed
        Name → columns of the tables that are there even where no case has a row.
    """
    with working_folder() as folder:
        path = folder / "predictions.zip"
        digests: dict[str, str] = {}
        members: dict[str, tuple[Path, str]] = {}
        tables: dict[str, dict[str, Path]] = defaultdict(dict)
        for batch in batches:
            if batch.outputs_file:
                source = local_path(batch.outputs_file)
                with zipfile.ZipFile(source) as archive:
                    members |= {name: (source, name) for name in archive.namelist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as target:
            for name in sorted(members):
                source, member = members[name]
                case, _, table = name.rpartition("/")
                copy = folder / (f"row-{len(tables[table])}-{table}" if case else "member")
                with zipfile.ZipFile(source) as archive, archive.open(member) as stream, copy.open("wb") as out:
                    while block := stream.read(1024**2):
                        out.write(block)
                if case:
                    tables[table][case] = copy
                    continue
                digests[name] = sha256_of(copy)
                _add(target, name, copy)
            for table in sorted({*tables, *tables_needed}):
                whole = folder / table
                case_tables.join(tables[table], whole, columns=tables_needed.get(table, ()))
                digests[table] = sha256_of(whole)
                _add(target, table, whole)
        yield path, f"sha256:{sha256(digests)}"


def _add(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    with archive.open(zipfile.ZipInfo(name, _TIME), "w", force_zip64=True) as target, path.open("rb") as source:
        while block := source.read(1024**2):
            target.write(block)


def _ending(name: str) -> str:
    """Return the ending that follows the name of a socket, which contains no dot."""
    return name[name.index(".") :]
