"""Draws docs/images/apps.svg, the packages of the platform, from the layers that import-linter checks: `python -m docs.make_apps_picture`."""

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


def packages() -> dict[str, list[str]]:
    """Packages from top to bottom, each importing those below it, with the apps inside them in the order of imports."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = {entry["name"]: entry for entry in settings["tool"]["importlinter"]["contracts"]}
    containers = contracts["Inside an app, each layer imports only the layers before it"]["containers"]
    return {
        name: [path.partition(".")[2] for path in containers if path.startswith(f"{name}.")]
        for name in contracts["Packages import in one direction"]["layers"]
    }


def drawing() -> str:
    """The picture as SVG."""
    apps = packages()
    names = [*apps]
    bottom = 10 + _STEP * len(names)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {bottom + 20}" role="img" aria-label="The packages of '
            f"the platform from {names[-1]} at the bottom to {names[0]} at the top, with the apps inside them; each imports those "
            'below it in the picture, and all may import evaluation and confinement" font-family="sans-serif" font-size="14">'
        )
    ]
    for place, (name, inside) in enumerate(apps.items()):
        top = 10 + _STEP * place
        parts.append(
            f'<rect x="10" y="{top}" width="400" height="26" rx="4" fill="#e8f0f7" stroke="#35618a"/>'
            f'<text x="22" y="{top + 18}" fill="#12283c">{name}</text>'
            f'<text x="398" y="{top + 18}" text-anchor="end" font-size="12" fill="#12283c">{", ".join(inside)}</text>'
        )
    parts.append(
        f'<path d="M440 20V{bottom - 16}" stroke="#35618a" stroke-width="2" fill="none"/>'
        f'<path d="M434 {bottom - 22}l6 12 6-12" fill="#35618a"/>'
        f'<text x="456" y="{bottom // 2}" fill="#12283c">imports</text>'
    )
    for top, (name, words) in zip((bottom // 4, bottom * 6 // 10), _BESIDE.items(), strict=True):
        parts.append(
            f'<rect x="580" y="{top}" width="260" height="70" rx="4" fill="#f7f0e2" stroke="#8a6a2c"/>'
            f'<text x="710" y="{top + 30}" text-anchor="middle" fill="#3c2c0c">{name}</text>'
            f'<text x="710" y="{top + 52}" text-anchor="middle" font-size="12" fill="#3c2c0c">{words}</text>'
            f'<path d="M520 {top + 35}H572" stroke="#8a6a2c" stroke-width="2"/>'
            f'<path d="M568 {top + 29}l12 6-12 6" fill="#8a6a2c"/>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(drawing(), "utf-8")
