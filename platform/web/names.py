"""Names that people choose: every script is welcome, and nothing in a name is invisible or poses as another name.

What is refused follows Unicode's reports on security (UTS #39) and on names of domains (RFC 5892, appendix A): control
characters, characters that change the direction of text, and characters that nobody sees, except the joiners where a script
or an emoji needs them. Two names are confusable when their skeletons are equal; the table of confusables is Unicode's, as
the library confusable-homoglyphs ships it.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import cache

import idna
from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_EMOJI_STYLE = "\ufe0f"
_SKIN = range(0x1F3FB, 0x1F400)
_IDEOGRAPH_VARIANTS = range(0xE0100, 0xE01F0)
# Letters and marks by their category, and yet nothing is seen of them.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_MOST_MARKS = 4
_LEAST_SEEN = frozenset("LNS")


def check_characters(text: str) -> None:
    """Refuse what is invisible or turns the direction of text around; any length, and lines may be broken.

    Raises
    ------
    ValidationError
        With the code point, its place and what to do.
    """
    marks = 0
    for position, character in enumerate(text):
        category = unicodedata.category(character)
        marks = marks + 1 if category == "Mn" else 0
        if character in "\n\t":
            continue
        if category in ("Cc", "Cs", "Zl", "Zp") or _is_noncharacter(character):
            raise ValidationError(_refusal(text, position, "a control character"))
        if unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"):
            raise ValidationError(_refusal(text, position, "a character that turns the direction of text around"))
        if not _is_seen(text, position, category):
            raise ValidationError(_refusal(text, position, "a character that nobody sees"))
        if marks > _MOST_MARKS:
            raise ValidationError(_refusal(text, position, f"more than {_MOST_MARKS} marks on one letter"))


def clean_name(text: str) -> str:
    """Return a name in Unicode's composed form, with single spaces.

    Raises
    ------
    ValidationError
        When it holds what `check_characters` refuses, or nothing that can be seen.

    Examples
    --------
    >>> clean_name("  Équipe   Ω ")
    'Équipe Ω'
    """
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    check_characters(name)
    if name and not any(unicodedata.category(character)[0] in _LEAST_SEEN for character in name):
        raise ValidationError("A name needs at least one letter or digit.")
    return name


def validate_name(text: str) -> None:
    """Refuse an unusable name; for fields of serializers."""
    clean_name(text)


class NameField(forms.CharField):
    """A name in a form, as `clean_name` returns it."""

    def clean(self, value: object) -> str:
        return clean_name(super().clean(value))


def slug_of(name: str, *, otherwise: str, length: int) -> str:
    """Return an address for a name in any script; names that differ in what ASCII cannot say get different ones.

    Parameters
    ----------
    otherwise
        Begins the address of a name without a letter of ASCII.
    length
        Of the address, at most.

    Examples
    --------
    >>> slug_of("Équipe 1", otherwise="team", length=90)
    'equipe-1'
    >>> slug_of("فريق", otherwise="team", length=90)
    'team-359d4430'
    """
    stem = slugify(name)
    lost = any(not part.isascii() and part.isalnum() for part in unicodedata.normalize("NFKD", name))
    if stem and not lost:
        return stem[:length].strip("-")
    if not any(character.isalnum() for character in name):
        return ""
    digest = hashlib.sha256(unicodedata.normalize("NFKC", name).casefold().encode()).hexdigest()[:8]
    return f"{(stem or otherwise)[: length - 9].strip('-')}-{digest}"


def confusable_with(name: str, taken: Iterable[str]) -> str | None:
    """Return the first of the names that people would take for this one; None when it stands apart from all.

    Examples
    --------
    >>> confusable_with("Теаm One", ["Team Two", "Team One"])
    'Team One'
    """
    skeletons = _skeletons(name)
    return next((other for other in taken if skeletons & _skeletons(other)), None)


def skeleton(text: str) -> str:
    """Return what a text looks like (UTS #39, section 4): equal for texts that can be confused.

    Examples
    --------
    >>> skeleton("pаypаl") == skeleton("paypal")
    True
    """
    seen = [
        character
        for position, character in enumerate(unicodedata.normalize("NFD", text))
        if unicodedata.category(character) != "Cf" and character not in _BLANK
    ]
    return unicodedata.normalize("NFD", "".join(_prototype(character) for character in seen))


def _skeletons(name: str) -> set[str]:
    # As it is written, for I and l; and without regard to size, for Ρ and p.
    folded = unicodedata.normalize("NFKC", name).casefold()
    return {skeleton(" ".join(form.split())) for form in (name, folded)}


@cache
def _prototype(character: str) -> str:
    """What a character is a likeness of; itself for most.

    The library lists each character of Unicode's table with its prototype, and each prototype with all characters that
    are likenesses of it. A prototype of several characters is never a likeness.
    """
    from confusable_homoglyphs.confusables import confusables_data

    alike = [entry["c"] for entry in confusables_data.get(character, ())]
    if len(alike) != 1:
        return character
    other = alike[0]
    if len(other) > 1 or len(confusables_data.get(other, ())) > 1:
        return other
    return min(character, other)


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
    return category not in ("Cf", "Co") and character not in _BLANK


def _joins(text: str, position: int) -> bool:
    """Whether a script needs a joiner here: after a virama, or between letters that join (RFC 5892, A.1 and A.2)."""
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
