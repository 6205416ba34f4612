"""Text helpers for conclusions and reports."""

import re
from collections.abc import Mapping
from typing import Any, Final

_PEOPLE: Final = frozenset({"Wilcoxon", "Wilcoxon-Mann-Whitney", "Shapiro-Wilk"})
"""Terms that begin with a capital letter within a sentence, too."""
_PARENTHESIS: Final = re.compile(r"\s*\(([^()]*)\)")


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "team"), counted(3, "team"), counted(0, "entry", "entries")
    ('1 team', '3 teams', 'no entries')
    """
    noun = one if number == 1 else several or f"{one}s"
    return f"{number:,} {noun}" if number else f"no {noun}"


def decoy_words(test_set: Mapping[str, Any], form: str = "") -> str:
    """Describe the number of scored cases of a version, if some cases are not scored.

    Parameters
    ----------
    test_set
        A version among the facts of a phase.
    form
        Format of the text, used only for a version with decoys. Without it, the text for a version without decoys is the
        number of cases.

    Examples
    --------
    >>> decoy_words({"cases": 60, "decoys": 10}), decoy_words({"cases": 60}), decoy_words({"cases": 60}, ", {}")
    ('50 scored and 10 decoys', '60', '')
    """
    decoys = test_set.get("decoys", 0)
    if not decoys:
        return "" if form else str(test_set["cases"])
    words = f"{test_set['cases'] - decoys:,} scored and {counted(decoys, 'decoy')}"
    return form.format(words) if form else words


def were(number: int, one: str = "", several: str = "") -> str:
    """A number with its verb, and with its noun if it has one.

    Examples
    --------
    >>> were(1), were(4), were(0), were(3, "team")
    ('1 was', '4 were', 'none were', '3 teams were')
    """
    verb = "was" if number == 1 else "were"
    return f"{counted(number, one, several)} {verb}" if one else f"{number or 'none'} {verb}"


def capitalized(text: str) -> str:
    """Return the text with a capital first letter; abbreviations and names stay unchanged.

    Examples
    --------
    >>> capitalized("only automatic methods"), capitalized("")
    ('Only automatic methods', '')
    """
    return text[:1].upper() + text[1:]


def term(label: str) -> str:
    """Return a label of the catalogue for use within a sentence.

    The result is its abbreviation, or the label without the text in parentheses.

    Examples
    --------
    >>> term("Magnetic Resonance Imaging (MRI)"), term("Semantic (binary or multi-class) segmentation"), term("CT")
    ('MRI', 'semantic segmentation', 'CT')
    >>> term("Wilcoxon signed rank test")
    'Wilcoxon signed rank test'
    """
    for inner in _PARENTHESIS.findall(label):
        if inner.isupper() and " " not in inner:
            return str(inner)
    plain = _PARENTHESIS.sub("", label).strip()
    keeps_case = plain[:2].isupper() or plain.split(maxsplit=1)[0] in _PEOPLE if plain else True
    return plain if keeps_case else plain[:1].lower() + plain[1:]


class Names:
    """The names of metrics as the field writes them, for text, tables and figures that were made with their ids."""

    def __init__(self, titles: Mapping[str, str], *, but: frozenset[str] = frozenset()) -> None:
        """Take titles by name; a name that is also that of a team stays as it is."""
        self._titles = {name: title for name, title in titles.items() if name != title and name not in but}
        self._teams = but
        names = "|".join(sorted(map(re.escape, self._titles), key=len, reverse=True))
        self._pattern = re.compile(rf"(?<![\w-])({names})(?![\w-])") if names else None

    def text(self, text: str) -> str:
        """A text with the titles in it; the name of a team stays as it is.

        Examples
        --------
        >>> Names({"dsc": "DSC"}, but=frozenset({"unet-dsc"})).text("dsc, core: unet-dsc leads")
        'DSC, core: unet-dsc leads'
        """
        if self._pattern is None or text in self._teams:
            return text
        return self._pattern.sub(lambda match: self._titles[match[1]], text)

    def figure(self, value: Any) -> Any:
        """A figure, or a part of one, with the titles in all its texts."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.figure(part) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            # Long rows of numbers hold no text.
            return value if value and isinstance(value[0], (int, float)) else [self.figure(part) for part in value]
        return value
