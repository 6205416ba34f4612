"""A ranking as a picture for messages and social networks: who ranks where, and how far each rank may be off."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from evaluation.boards.axis import Axis

SIZE: Final = (1200, 630)
MOST_ROWS: Final = 8
_MARGIN: Final = 64
_STRIP_LEFT: Final = 560
_TOP: Final = 236
_ROW: Final = 40
# The colours of the light theme (static/css/tokens.css): a picture goes where no theme is known.
_PAPER: Final = "#faf8f4"
_INK: Final = "#1c2427"
_SOFT: Final = "#4c575b"
_LINE: Final = "#dfdad0"
_ACCENT: Final = "#0b5b67"
_BAND: Final = "#efe3d1"
_AMBER: Final = "#c8965a"


@dataclass(frozen=True)
class Fonts:
    """The files of the two fonts of the site."""

    display: Path
    text: Path


@dataclass(frozen=True)
class Strip:
    """One team: its rank, its rank set, and where its rank lay in resamples; None where there is none."""

    team: str
    rank: float | None
    rank_text: str
    set_ends: tuple[float, float] | None
    range_ends: tuple[float, float] | None


def share_picture(
    *, title: str, phase: str, sentence: str, strips: Sequence[Strip], more: int, axis: Axis, fonts: Fonts
) -> bytes:
    """Draw the first teams of a ranking.

    Parameters
    ----------
    title, phase
        Titles of the challenge and of its phase.
    sentence
        The verdict.
    strips
        Teams in their order; only the first are drawn.
    more
        Number of ranked teams in addition to those in `strips`.
    axis
        The axis of ranks that the leaderboard shows.

    Returns
    -------
    bytes
        A PNG of 1200 × 630 pixels.
    """
    picture = Image.new("RGB", SIZE, _PAPER)
    draw = ImageDraw.Draw(picture)
    display, text, small = (
        ImageFont.truetype(str(fonts.display), 44),
        _text_font(fonts, 26),
        _text_font(fonts, 21),
    )
    width = SIZE[0] - 2 * _MARGIN
    draw.text((_MARGIN, 44), _fitted(title, display, width), font=display, fill=_INK)
    for at, line in enumerate(_lines(sentence, text, width, most=2)):
        draw.text((_MARGIN, 112 + 36 * at), line, font=text, fill=_INK)
    drawn = strips[:MOST_ROWS]
    strip_width = SIZE[0] - _MARGIN - _STRIP_LEFT

    def x(rank: float) -> float:
        return _STRIP_LEFT + axis.at(rank) / 100 * strip_width

    foot = _TOP + _ROW * len(drawn)
    if axis.band is not None:
        low, high = axis.band
        draw.rectangle((x(low) - 10, _TOP, x(high) + 10, foot), fill=_BAND)
    for tick in axis.ticks:
        draw.line((x(tick), _TOP, x(tick), foot), fill=_LINE, width=1)
        draw.text((x(tick), _TOP - 28), str(tick), font=small, fill=_SOFT, anchor="ma")
    for at, strip in enumerate(drawn):
        middle = _TOP + _ROW * at + _ROW / 2
        draw.text((_MARGIN + 46, middle), strip.rank_text, font=text, fill=_SOFT, anchor="rm")
        name = _fitted(strip.team, text, _STRIP_LEFT - _MARGIN - 90)
        draw.text((_MARGIN + 66, middle), name, font=text, fill=_INK, anchor="lm")
        if strip.set_ends:
            draw.line((x(strip.set_ends[0]), middle, x(strip.set_ends[1]), middle), fill=_AMBER, width=12)
        if strip.range_ends:
            draw.line((x(strip.range_ends[0]), middle, x(strip.range_ends[1]), middle), fill=_INK, width=3)
        if strip.rank is not None:
            centre = x(strip.rank)
            draw.ellipse((centre - 9, middle - 9, centre + 9, middle + 9), fill=_ACCENT, outline=_PAPER, width=2)
    others = more + len(strips) - len(drawn)
    below = f"and {others} more teams" if others > 1 else "and one more team" if others == 1 else ""
    draw.text((_MARGIN, 582), "  ·  ".join(filter(None, (phase, below))), font=small, fill=_SOFT, anchor="lm")
    draw.text(
        (SIZE[0] - _MARGIN, 582), "Podium", font=ImageFont.truetype(str(fonts.display), 30), fill=_ACCENT, anchor="rm"
    )
    stored = io.BytesIO()
    picture.save(stored, "PNG", optimize=True)
    return stored.getvalue()


def _text_font(fonts: Fonts, size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(str(fonts.text), size)
    # The file holds all weights; without a choice it is the thinnest.
    font.set_variation_by_axes([450])
    return font


def _fitted(text: str, font: ImageFont.FreeTypeFont, width: float) -> str:
    """The text, cut off where it does not fit."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _lines(text: str, font: ImageFont.FreeTypeFont, width: float, *, most: int) -> list[str]:
    """Break a sentence into lines; what the last cannot hold is cut off."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most:
        taken = 1
        while taken < len(words) and font.getlength(" ".join(words[: taken + 1])) <= width:
            taken += 1
        is_last = len(lines) == most - 1
        lines.append(_fitted(" ".join(words if is_last else words[:taken]), font, width))
        words = [] if is_last else words[taken:]
    return lines
