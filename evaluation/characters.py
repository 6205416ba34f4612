"""Characters allowed in names and titles.

The characters of every script are allowed, except invisible ones and those that change the direction of text.

The rules follow Unicode's reports on security (UTS #39) and on names of domains (RFC 5892, appendix A). They refuse
control characters, characters that change the direction of text, and invisible characters, except the joiners where a
script or an emoji needs them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import idna

_ZWNJ: Final = "\u200c"
_ZWJ: Final = "\u200d"
_EMOJI_STYLE: Final = "\ufe0f"
_SKIN: Final = range(0x1F3FB, 0x1F400)
_IDEOGRAPH_VARIANTS: Final = range(0xE0100, 0xE01F0)
# Letters and marks by their category, and yet nothing is seen of them.
BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_MOST_MARKS: Final = 4
_TURNING: Final = frozenset(["LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"])


def refused_character(text: str) -> str:
    """Return a description of the refused character of a text and the reason.

    The description is empty for an accepted text. Line breaks are allowed.

    Examples
    --------
    >>> refused_character("فريق"), refused_character("a\u202eb")
    ('', 'Character 2 (U+202E, RIGHT-TO-LEFT OVERRIDE) is a character that turns the direction of text around. Take it out, please.')
    """
    marks = 0
    for position, character in enumerate(text):
        category = unicodedata.category(character)
        marks = marks + 1 if category == "Mn" else 0
        if character in "\n\t":
            continue
        if category in ("Cc", "Cs", "Zl", "Zp") or _is_noncharacter(character):
            return _refusal(text, position, "a control character")
        if unicodedata.bidirectional(character) in _TURNING:
            return _refusal(text, position, "a character that turns the direction of text around")
        if not _is_seen(text, position, category):
            return _refusal(text, position, "an invisible character")
        if marks > _MOST_MARKS:
            return _refusal(text, position, f"more than {_MOST_MARKS} marks on one letter")
    return ""


def _is_noncharacter(character: str) -> bool:
    point = ord(character)
    return 0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE


def _is_seen(text: str, position: int, category: str) -> bool:
    character = text[position]
    if character == _ZWNJ:
        return _joins(text, position)
    if character == _ZWJ:
        return _joins(text, position) or _within_emoji(text, position)
    if character == _EMOJI_STYLE or ord(character) in _IDEOGRAPH_VARIANTS:
        before = text[position - 1] if position else ""
        wanted = "Lo" if ord(character) in _IDEOGRAPH_VARIANTS else "So"
        return bool(before) and (
            unicodedata.category(before) == wanted or (wanted == "So" and before in "#*0123456789‼⁉↔↕")
        )
    if 0xFE00 <= ord(character) <= 0xFE0E:
        return False
    return category not in ("Cf", "Co") and character not in BLANK


def _joins(text: str, position: int) -> bool:
    """Return whether a script needs a joiner here.

    A joiner is needed after a virama, or between letters that join (RFC 5892, A.1 and A.2).
    """
    word = text[:position].rpartition(" ")[2]
    rest = text[position:].partition(" ")[0]
    if not word:
        return False
    try:
        return bool(idna.core.valid_contextj(word + rest, len(word)))
    except (ValueError, idna.IDNAError):
        return False


def _within_emoji(text: str, position: int) -> bool:
    before = re.sub(f"[{_EMOJI_STYLE}{chr(_SKIN[0])}-{chr(_SKIN[-1])}]+$", "", text[:position])[-1:]
    after = text[position + 1 : position + 2]
    return all(part and unicodedata.category(part) in ("So", "Sm") for part in (before, after))


def _refusal(text: str, position: int, what: str) -> str:
    name = unicodedata.name(text[position], "unnamed")
    return f"Character {position + 1} (U+{ord(text[position]):04X}, {name}) is {what}. Take it out, please."
