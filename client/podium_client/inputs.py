"""Cases of one's own that an algorithm is tried on: which file is which input."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from podium_client.errors import ClientError


def cases_of(folder: Path, inputs: Sequence[Any], *, any_image: bool = False) -> dict[str, dict[str, Path]]:
    """Return the files of each case, by the names in interface.json.

    Parameters
    ----------
    any_image
        Whether images may have a format other than the one in interface.json, since they are rewritten.

    Raises
    ------
    ClientError
        When a case lacks a file, or there are no cases.
    """
    if not folder.is_dir():
        raise ClientError(f"There is no folder {folder}.")
    cases: dict[str, dict[str, Path]] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            files = {socket.file: _first(path, socket, any_image=any_image) for socket in inputs}
            lacking = [name for name, file in files.items() if file is None]
            if lacking:
                raise ClientError(f"The case {path.name} lacks {lacking[0]}, which interface.json names.")
            cases[path.name] = {name: file for name, file in files.items() if file is not None}
        elif len(inputs) == 1 and (ending := _ending(path, inputs[0], any_image=any_image)):
            cases[path.name.removesuffix(ending)] = {inputs[0].file: path}
    if not cases:
        wanted = f", or files that end in {inputs[0].suffix}" if len(inputs) == 1 else ""
        raise ClientError(
            f"{folder} holds no case: a folder for each with {', '.join(socket.file for socket in inputs)}{wanted}."
        )
    return cases


def _endings(socket: Any, *, any_image: bool) -> tuple[str, ...]:
    from evaluation.readers import SUFFIXES

    return (socket.suffix, *(SUFFIXES if any_image and socket.kind in ("image", "label_image") else ()))


def _first(folder: Path, socket: Any, *, any_image: bool) -> Path | None:
    """The file of an input in the folder of a case."""
    named = [folder / f"{socket.name}{ending}" for ending in _endings(socket, any_image=any_image)]
    return next((path for path in named if path.is_file()), None)


def _ending(path: Path, socket: Any, *, any_image: bool) -> str:
    """Ending of a file that is the only input of its case; empty for another file."""
    return next((ending for ending in _endings(socket, any_image=any_image) if path.name.endswith(ending)), "")
