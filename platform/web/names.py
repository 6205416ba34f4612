"""Names that people choose: every script is welcome, and nothing in a name is invisible or poses as another name.

Which characters are refused, `evaluation.characters` decides. Two names are confusable when their skeletons are equal; the table of confusables is Unicode's, as
the library confusable-homoglyphs ships it.
"""

import hashlib
import unicodedata
from collections.abc import Iterable
from functools import cache

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify

from evaluation.characters import BLANK, refused_character

_LEAST_SEEN = frozenset("LNS")


def check_characters(text: str) -> None:
    """Refuse what is invisible or turns the direction of text around.

    Raises
    ------
    ValidationError
        With the code point, its place and what to do.
    """
    if refusal := refused_character(text):
        raise ValidationError(refusal)


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
    """Return an address for a name in any script; names that differ outside ASCII get different ones.

    Parameters
    ----------
    otherwise
        Start of the address of a name without an ASCII letter.
    length
        Largest length of the address.

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
    """Return the first of the names that people could confuse with this one; None if it is distinct from all.

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
        if unicodedata.category(character) != "Cf" and character not in BLANK
    ]
    return unicodedata.normalize("NFD", "".join(_prototype(character) for character in seen))


def _skeletons(name: str) -> set[str]:
    # As it is written, for I and l; and without regard to size, for Ρ and p.
    folded = unicodedata.normalize("NFKC", name).casefold()
    return {skeleton(" ".join(form.split())) for form in (name, folded)}


@cache
def _prototype(character: str) -> str:
    """Return the character that a character resembles; for most, the character itself.

    The library lists each character of Unicode's table with its prototype, and each prototype with all
    characters that resemble it. A prototype of several characters never resembles another.
    """
    from confusable_homoglyphs.confusables import confusables_data

    alike = [entry["c"] for entry in confusables_data.get(character, ())]
    if len(alike) != 1:
        return character
    other = alike[0]
    if len(other) > 1 or len(confusables_data.get(other, ())) > 1:
        return other
    return min(character, other)
