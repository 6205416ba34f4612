"""Badge of a ranked team as SVG: the rank never appears without the rank set."""

from typing import Final
from xml.sax.saxutils import escape, quoteattr

_HEIGHT: Final = 28
_WIDE: Final = 7.2
"""Widest average width of a character at 13 px, in px: text never runs out of its field."""
_PADDING: Final = 10


def badge(title: str, rank: str, rank_set: tuple[int, int] | None) -> str:
    """Return a badge.

    Parameters
    ----------
    title
        Name of the challenge and the phase.
    rank
        Rank as the table shows it.
    rank_set
        First and last rank of the rank set; ``None`` where the ranking states no certainty.
    """
    if rank_set is None:
        certainty = "rank set not known"
    else:
        low, high = rank_set
        certainty = f"rank set {low}" if low == high else f"rank set {low}–{high}"
    text = f"rank {rank} · {certainty}"
    left, right = (len(part) * _WIDE + 2 * _PADDING for part in (title, text))
    name = quoteattr(f"{title}: {text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="{_HEIGHT}" role="img" aria-label={name}>'
        f"<title>{escape(f'{title}: {text}')}</title>"
        f'<rect width="{left:.0f}" height="{_HEIGHT}" fill="#1f2937"/>'
        f'<rect x="{left:.0f}" width="{right:.0f}" height="{_HEIGHT}" fill="#0f5c8c"/>'
        f'<g fill="#ffffff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="13">'
        f'<text x="{_PADDING}" y="19" textLength="{left - 2 * _PADDING:.0f}" lengthAdjust="spacingAndGlyphs">{escape(title)}</text>'
        f'<text x="{left + _PADDING:.0f}" y="19" textLength="{right - 2 * _PADDING:.0f}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(text)}</text></g></svg>"
    )
