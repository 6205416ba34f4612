"""Draws docs/images/apps.svg, the picture of the apps, from the layers that import-linter holds: `python -m docs.make_apps_picture`."""

# ruff: noqa: INP001

import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PICTURE: Final = ROOT / "docs/images/apps.svg"
_STEP: Final = 34
_BESIDE: Final = {
    "evaluation": "the science; knows no Django",
    "confinement": "the cell; knows no Django",
}


def apps() -> list[str]:
    """The apps from top to bottom, each importing those below it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return next(entry["layers"] for entry in contracts if entry["name"] == "Apps import in one direction")


def drawing() -> str:
    """The picture as SVG."""
    names = apps()
    bottom = 10 + _STEP * len(names)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {bottom + 20}" role="img" aria-label="The apps of the '
            f"platform from {names[-1]} at the bottom to {names[0]} at the top; each imports those below it in the picture, and all "
            'may import evaluation and confinement" font-family="sans-serif" font-size="14">'
        )
    ]
    for place, name in enumerate(names):
        top = 10 + _STEP * place
        parts.append(
            f'<rect x="10" y="{top}" width="220" height="26" rx="4" fill="#e8f0f7" stroke="#35618a"/>'
            f'<text x="120" y="{top + 18}" text-anchor="middle" fill="#12283c">{name}</text>'
        )
    parts.append(
        f'<path d="M260 20V{bottom - 16}" stroke="#35618a" stroke-width="2" fill="none"/>'
        f'<path d="M254 {bottom - 22}l6 12 6-12" fill="#35618a"/>'
        f'<text x="276" y="{bottom // 2}" fill="#12283c">imports</text>'
    )
    for top, (name, words) in zip((bottom // 4, bottom * 6 // 10), _BESIDE.items(), strict=True):
        parts.append(
            f'<rect x="400" y="{top}" width="260" height="70" rx="4" fill="#f7f0e2" stroke="#8a6a2c"/>'
            f'<text x="530" y="{top + 30}" text-anchor="middle" fill="#3c2c0c">{name}</text>'
            f'<text x="530" y="{top + 52}" text-anchor="middle" font-size="12" fill="#3c2c0c">{words}</text>'
            f'<path d="M340 {top + 35}H392" stroke="#8a6a2c" stroke-width="2"/>'
            f'<path d="M388 {top + 29}l12 6-12 6" fill="#8a6a2c"/>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(drawing(), "utf-8")
