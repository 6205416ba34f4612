"""Sources of a report, short enough for a row of the checklist."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

Content = Mapping[str, Any]
_LETTERS: Final = {
    "parameter": "D",
    "registration": "D",
    "ranking": "R",
    "assessment": "A",
    "results": "T",
    "audit": "L",
    "authors": "W",
}


class Sources:
    """Origins of a report under short names.

    All parameters of a design share the name of the design.

    Attributes
    ----------
    rows
        Name, description, digest and address of each origin.
    """

    def __init__(self, content: Content) -> None:
        self.rows: list[tuple[str, str, str, str]] = []
        self._of: dict[str, tuple[str, str]] = {}
        # A reader of a file is on no site; reports made before they knew theirs have paths alone.
        site = content["challenge"].get("site", "")
        numbers: dict[str, int] = {}
        designs: dict[tuple[str, str], str] = {}
        for key, origin in content["origins"].items():
            letter = _LETTERS.get(origin["kind"], "P")
            label, _, rest = origin["words"].partition(": ")
            is_design = origin["kind"] == "registration" or (origin["kind"] == "parameter" and rest.endswith(")"))
            is_parameter = is_design and bool(rest)
            short_name = designs.get((label, origin["digest"])) if is_design else None
            if short_name is None:
                numbers[letter] = numbers.get(letter, 0) + 1
                short_name = f"{letter}{numbers[letter]}"
                words = label if is_design else origin["words"]
                path = origin["address"]
                address = f"{site}{path}" if path.startswith("/") else path
                self.rows.append((short_name, words, origin["digest"][:16], address))
                if is_design:
                    designs[label, origin["digest"]] = short_name
            self._of[key] = (short_name, rest.rpartition("(")[2].rstrip(")") if is_parameter else "")

    def named(self, keys: Iterable[str]) -> str:
        """Several origins in a row of the checklist: "D1 challenge_name, challenge_year; R1"."""
        parameters_by_name: dict[str, list[str]] = {}
        for name, parameter in sorted({self._of[key] for key in keys}):
            parameters_by_name.setdefault(name, []).extend([parameter] if parameter else [])
        return "; ".join(f"{name} {', '.join(parameters)}".strip() for name, parameters in parameters_by_name.items())
