"""Conditions of running algorithms that a design registers: limits, interface and hardware, equal for all teams."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Self

from evaluation.running.grand_challenge import AdapterError, GrandChallengeSocket
from evaluation.running.identity import GRAND_CHALLENGE, INTERFACE
from evaluation.running.interface import InterfaceError, Socket

if TYPE_CHECKING:
    from collections.abc import Mapping

MIB: Final = 1024**2
GIB: Final = 1024**3
NONE, ADAPTED = "none", "grand_challenge"


class RegisteredError(ValueError):
    """Error for limits that cannot be applied; the message names the limit and the reason."""


@dataclass(frozen=True)
class Registered:
    """Registered conditions of running the algorithms of a phase, with defaults for unstated values."""

    input_socket: str = "image"
    """Name of the input, the image of a case."""
    output_socket: str = "prediction"
    """Name of the output, the prediction of a case."""
    adapter: str = NONE
    """To conventions of others that images are made for: `grand_challenge`, or none."""
    input_slug: str = ""
    """Of the input there; its name here if not stated."""
    input_path: str = ""
    """Of its folder there, `images/<slug>` if not stated."""
    output_slug: str = ""
    output_path: str = ""
    case_seconds: float = 300.0
    start_seconds: float = 120.0
    memory_mib: int = 8192
    cpus: float = 2.0
    gpus: int = 0
    gpu_memory_mib: int | None = None
    pids: int = 512
    output_mib: int = 1024
    output_files: int | None = None
    """Of a start; 64 and 64 a case if not stated."""
    scratch_mib: int = 1024
    shm_mib: int = 256
    image_gib: float = 10.0
    model_gib: float = 20.0
    batch_cases: int = 1
    attempts_after_fault: int = 3
    compute_hours: float | None = None
    """Of a team in a phase."""
    budget_hours: float | None = None
    """Of all teams in all phases of the task."""
    requires_dry_run: bool = True
    """True if the same algorithm must have run earlier in a dry run of the task, if the task has one."""
    exclusive: bool = False
    """True if a start has the machine to itself and all starts of a phase use one class of machine."""
    hardware: str = ""

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and not value >= least:
                message = f"{name} is {value:g}; at least {least:g} is needed"
                raise RegisteredError(message)
        for name in ("input_socket", "output_socket"):
            try:
                Socket(getattr(self, name), "file", ".bin")
            except InterfaceError as error:
                raise RegisteredError(str(error)) from error
        if self.adapter not in (NONE, ADAPTED):
            message = f"the adapter is {self.adapter[:40]!r}; known are {NONE} and {ADAPTED}"
            raise RegisteredError(message)
        if self.is_adapted and self.batch_cases > 1:
            message = f"by the conventions of Grand Challenge a start has one case, not {self.batch_cases}"
            raise RegisteredError(message)
        try:
            self.there()
        except AdapterError as error:
            raise RegisteredError(str(error)) from error

    @property
    def interface(self) -> str:
        """By which images are run: part of the identity of an algorithm."""
        return GRAND_CHALLENGE if self.is_adapted else INTERFACE

    @property
    def is_adapted(self) -> bool:
        """True if images receive the folders of Grand Challenge."""
        return self.adapter == ADAPTED

    def there(self) -> tuple[GrandChallengeSocket, GrandChallengeSocket] | None:
        """Return the names of input and output on Grand Challenge; None for the conventions of Podium.

        Raises
        ------
        AdapterError
            For invalid slugs or paths.
        """
        if not self.is_adapted:
            return None
        into = GrandChallengeSocket.of_image(self.input_slug or self.input_socket, self.input_path)
        out = GrandChallengeSocket.of_image(self.output_slug or self.output_socket, self.output_path)
        return into, out

    @classmethod
    def of(cls, stated: Mapping[str, Any]) -> Self:
        """Read the values that a design or a phase states; missing values have their defaults.

        Raises
        ------
        RegisteredError
            For a limit below its minimum.

        Examples
        --------
        >>> Registered.of({"case_seconds": 10, "memory_mib": None}).memory_mib
        8192
        """
        field_names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in stated.items() if name in field_names and value not in (None, "")})

    def document(self) -> dict[str, Any]:
        """Return the conditions as JSON values."""
        return asdict(self)

    def seconds(self, cases: int) -> float:
        """Return the maximum wall time of a start with `cases` cases, in seconds."""
        return self.start_seconds + self.case_seconds * cases

    def compute_seconds(self, cases: int) -> float:
        """Return the maximum compute time of `cases` cases in seconds, multiplied by the number of GPUs."""
        whole, rest = divmod(cases, self.batch_cases)
        wall = whole * self.seconds(self.batch_cases) + (self.seconds(rest) if rest else 0.0)
        return wall * max(1, self.gpus)


_LEAST: Final[Mapping[str, float]] = {
    "case_seconds": 1,
    "start_seconds": 0,
    "memory_mib": 16,
    "cpus": 0.1,
    "gpus": 0,
    "gpu_memory_mib": 1,
    "pids": 8,
    "output_mib": 1,
    "output_files": 1,
    "scratch_mib": 1,
    "shm_mib": 1,
    "image_gib": 0.001,
    "model_gib": 0.001,
    "batch_cases": 1,
    "attempts_after_fault": 0,
    "compute_hours": 0.001,
    "budget_hours": 0.001,
}
