"""Reading of a challenge configuration: YAML alone, or a bundle with it."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from evaluation.importing.configurations.codabench import draft_of_codabench, is_codabench
from evaluation.importing.configurations.evalai import draft_of_evalai, is_evalai
from evaluation.importing.configurations.yaml_files import MOST_BYTES, read_yaml
from evaluation.importing.sheets import TableError, shown

if TYPE_CHECKING:
    from evaluation.importing.configurations.drafts import Draft

CONFIGURATION_BYTES: Final = 32 << 20
"""Size of a bundle; of its files only the configuration is unpacked."""
_NAMES: Final = (
    *("competition.yaml", "competition.yml", "challenge_config.yaml", "challenge_config.yml"),
    *("zip_challenge.yaml", "zip_challenge.yml"),
)
_MOST_MEMBERS: Final = 20_000


def is_configuration(name: str, content: bytes) -> bool:
    """Return whether a file is YAML by its name, or an archive that holds a configuration."""
    if name.casefold().endswith((".yaml", ".yml")):
        return True
    return content.startswith(b"PK\x03\x04")


def read_configuration(name: str, content: bytes) -> Draft:
    """Return the draft of a design from the configuration of another platform.

    Parameters
    ----------
    name
        Name of the file, for messages.
    content
        ``competition.yaml`` of Codabench, ``challenge_config.yaml`` of EvalAI, or a ZIP archive with one of them.

    Raises
    ------
    TableError
        If it is neither, or not readable; one line that states what the file is.
    """
    if len(content) > CONFIGURATION_BYTES:
        what = f"the file has {len(content):,} bytes, and at most {CONFIGURATION_BYTES:,} are read"
        raise TableError(name, what, "Send the configuration without data.")
    if content.startswith(b"PK\x03\x04"):
        name, content = _member(name, content)
    elif content.lstrip()[:1] in (b"{", b"["):
        raise TableError(name, "this is JSON and no configuration in YAML", "Import a design as JSON, or send YAML.")
    data = read_yaml(name, content)
    if is_evalai(data):
        return draft_of_evalai(name, data)
    if is_codabench(data):
        return draft_of_codabench(name, data)
    keys = ", ".join(shown(key) for key in list(data)[:4])
    what = f"this is YAML with the keys {keys}, and no configuration of Codabench or EvalAI"
    raise TableError(name, what, "Send competition.yaml or challenge_config.yaml.")


def _member(name: str, content: bytes) -> tuple[str, bytes]:
    """Name and bytes of the configuration of a bundle."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_MEMBERS:
                raise TableError(name, f"the archive has {len(entries):,} files", "Send the configuration alone.")
            chosen = [entry for entry in entries if PurePosixPath(entry.filename).name.casefold() in _NAMES]
            chosen.sort(key=lambda entry: entry.filename.count("/"))
            if not chosen:
                what = "this is a ZIP archive without competition.yaml or challenge_config.yaml"
                raise TableError(name, what, "Send the bundle of Codabench, or the configuration of EvalAI.")
            level = chosen[0].filename.count("/")
            if len(chosen) > 1 and chosen[1].filename.count("/") == level:
                paths = " and ".join(shown(entry.filename) for entry in chosen[:2])
                raise TableError(name, f"the archive holds two configurations, {paths}", "Send one of them.")
            if chosen[0].flag_bits & 1:
                raise TableError(name, "the archive is encrypted", "Make it without a password.")
            with archive.open(chosen[0]) as stream:
                return chosen[0].filename, stream.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise TableError(
            name, f"this is a ZIP archive, and it is damaged ({error})", "Make the archive again."
        ) from None
