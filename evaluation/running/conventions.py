"""By which conventions a container finds its cases and leaves its outputs: Podium's own, or those of Grand Challenge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.running import grand_challenge
from evaluation.running.grand_challenge import AdapterError, ExpectedOutput, GrandChallengeSocket
from evaluation.running.identity import GRAND_CHALLENGE, INTERFACE
from evaluation.running.interface import InterfaceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.running.interface import Socket


class Conventions:
    """Conventions of `podium-exec-1`: a folder of files for each case, and `interface.json`.

    Attributes
    ----------
    interface
        Name of the conventions, part of the identity of an algorithm.
    is_flat
        True if the files of the only case of a start are directly in /input and /output.
    writes_inputs
        True if `files_of_case` rewrites the inputs before the container sees them.
    tells_interface
        True if the container receives `/input/interface.json`.
    """

    interface: str = INTERFACE
    is_flat: bool = False
    writes_inputs: bool = False
    tells_interface: bool = True

    def __init__(self, inputs: Sequence[Socket], outputs: Sequence[Socket]) -> None:
        self.inputs, self.outputs = inputs, outputs

    def files_of_case(self, case: str, files: Mapping[str, Path], folder: Path) -> dict[str, Path]:
        """Files of a case by their names below its folder.

        Parameters
        ----------
        case
            Its name as the container sees it.
        files
            Input files, by socket.
        folder
            Where to write what is converted.

        Raises
        ------
        evaluation.readers.ReadError
            For a file that cannot be converted.
        """
        return {socket.file: files[socket.name] for socket in self.inputs}

    def expected(self) -> list[ExpectedOutput]:
        """Return the files to collect for a case, each under the file name of its socket."""
        return [ExpectedOutput(socket.file, socket.required) for socket in self.outputs]

    def model_targets(self, *, has_model: bool) -> tuple[str, ...]:
        """Return the mount paths of weights; an empty folder is mounted if there are no weights."""
        return ("/model",)

    def environment(self, memory_bytes: int) -> dict[str, str]:
        """Return the variables in addition to those of every container."""
        return {}

    def places(self) -> list[tuple[str, str]]:
        """Return name and path of everything that a container reads and writes, for display."""
        return [
            *((f"Input {socket.name}", f"/input/<case>/{socket.file}") for socket in self.inputs),
            ("Cases of the start", "/input/interface.json"),
            *((f"Output {socket.name}", f"/output/<case>/{socket.file}") for socket in self.outputs),
            ("Weights", "/model/"),
        ]


class GrandChallenge(Conventions):
    """Those of Grand Challenge: `/input/images/<name>/<uid>.mha`, `/input/inputs.json`, `/output/images/<name>/<uid>.mha`."""

    interface = GRAND_CHALLENGE
    is_flat = True
    writes_inputs = True
    tells_interface = False

    def __init__(self, inputs: Sequence[Socket], outputs: Sequence[Socket], mapping: Mapping[str, Any]) -> None:
        super().__init__(inputs, outputs)
        self._into = grand_challenge.read_mapping(mapping.get("inputs"), inputs)
        self._out = grand_challenge.read_mapping(mapping.get("outputs"), outputs)

    def files_of_case(self, case: str, files: Mapping[str, Path], folder: Path) -> dict[str, Path]:
        """The image of each socket alone in its folder, and the list of all."""
        return grand_challenge.inputs_of_case(case, files, self.inputs, self._into, folder)

    def expected(self) -> list[ExpectedOutput]:
        """Return the only image of each folder, independent of its name."""
        return grand_challenge.outputs_of_case(self.outputs, self._out)

    def model_targets(self, *, has_model: bool) -> tuple[str, ...]:
        """None without weights: an image may hold them itself at these places."""
        return grand_challenge.MODEL_TARGETS if has_model else ()

    def places(self) -> list[tuple[str, str]]:
        """Folders with one image each."""
        return [
            *(
                (f"Input {self._into[socket.name].slug}", f"/input/{_place(self._into[socket.name])}")
                for socket in self.inputs
            ),
            ("List of inputs", "/input/inputs.json"),
            *(
                (f"Output {self._out[socket.name].slug}", f"/output/{_place(self._out[socket.name])}")
                for socket in self.outputs
            ),
            ("Weights", f"{grand_challenge.MODEL_TARGETS[0]}/"),
        ]

    def environment(self, memory_bytes: int) -> dict[str, str]:
        """Return the environment variables that some images read."""
        return grand_challenge.environment(memory_bytes)


def _place(socket: GrandChallengeSocket) -> str:
    return f"{socket.relative_path}/<any>.mha" if socket.super_kind == grand_challenge.IMAGE else socket.relative_path


def conventions_of(document: Mapping[str, Any], inputs: Sequence[Socket], outputs: Sequence[Socket]) -> Conventions:
    """Return the conventions for running a container according to `interface.json`.

    Raises
    ------
    InterfaceError
        For an invalid mapping to the names of Grand Challenge.
    """
    if document.get("interface") != GRAND_CHALLENGE:
        return Conventions(inputs, outputs)
    mapping = document.get(grand_challenge.KEY)
    if not isinstance(mapping, dict):
        message = f"{grand_challenge.KEY} has to say what inputs and outputs are called there"
        raise InterfaceError(message)
    try:
        return GrandChallenge(inputs, outputs, mapping)
    except AdapterError as error:
        raise InterfaceError(str(error)) from error


def mapping_of(
    into: Mapping[str, GrandChallengeSocket], out: Mapping[str, GrandChallengeSocket]
) -> dict[str, dict[str, dict[str, str]]]:
    """Return the part of `interface.json` that maps each socket to its name on Grand Challenge."""
    return {
        "inputs": {name: socket.document() for name, socket in into.items()},
        "outputs": {name: socket.document() for name, socket in out.items()},
    }
