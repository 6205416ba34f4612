"""Picture of the rule for grids: ``python docs/make_grids_picture.py`` writes ``docs/images/grids.svg``."""

# ruff: noqa: INP001

import math
from pathlib import Path

STEP, CELLS, WIDTH, HEIGHT = 20, 7, 220, 236
TARGET = Path(__file__).parent / "images" / "grids.svg"
PANELS = (
    ("equal", (0.0, 0.0, 0.0), True, "no shift"),
    ("shift of 0.25 voxels", (0.25, 0.0, 0.0), True, "accepted with a note"),
    ("shift of 0.75 voxels", (0.75, 0.0, 0.0), False, "refused"),
    ("turn by 2.5°", (0.0, 0.0, 2.5), True, "largest shift 0.27: accepted"),
)
"""Title, shift along both axes in voxels, turn in degrees, decision and its words."""


def place(x: float, y: float, move: tuple[float, float, float]) -> tuple[float, float]:
    """Position of a voxel in the picture, in voxels."""
    right, down, degrees = move
    angle = math.radians(degrees)
    return (
        x * math.cos(angle) - y * math.sin(angle) + right,
        x * math.sin(angle) + y * math.cos(angle) + down,
    )


def panel(index: int) -> list[str]:
    """The expected grid as squares and the grid of the file as dots."""
    title, move, accepted, words = PANELS[index]
    left, top, colour = 20 + index * WIDTH, 56, "#1b7a4b" if accepted else "#b3261e"
    lines = [f'<text x="{left}" y="28" font-weight="bold" fill="#12283c">{title}</text>']
    voxels = [(x, y) for x in range(CELLS) for y in range(CELLS)]
    lines += [
        f'<rect x="{left + x * STEP}" y="{top + y * STEP}" width="{STEP}" height="{STEP}" fill="#f4f8fb" stroke="#35618a"/>'
        for x, y in voxels
    ]
    for x, y in voxels:
        centre = place(x, y, move)
        dot = [start + STEP * (number + 0.5) for start, number in zip((left, top), centre, strict=True)]
        lines.append(f'<circle cx="{dot[0]:.1f}" cy="{dot[1]:.1f}" r="3.5" fill="{colour}"/>')
    lines.append(f'<text x="{left}" y="{top + CELLS * STEP + 28}" fill="{colour}">{words}</text>')
    return lines


def picture() -> str:
    """The picture as SVG."""
    label = (
        "Four pictures of an expected grid as squares and the voxel centres of a file as dots: equal grids, a shift of a quarter "
        "of a voxel and a small turn are accepted, a shift of three quarters of a voxel is refused"
    )
    content = [line for index in range(len(PANELS)) for line in panel(index)]
    width = 20 + len(PANELS) * WIDTH
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{label}" '
        'font-family="sans-serif" font-size="14">'
    )
    background = f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, background, *content, "</svg>"]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(picture(), "utf-8")
