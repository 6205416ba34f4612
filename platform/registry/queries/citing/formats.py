"""A reference as BibTeX, CFF and RIS; nothing that people wrote can end a field or start another."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Final

from registry.queries.citing.reference import Author, Reference

_TEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TABLE = str.maketrans(_TEX)


def tex(text: str) -> str:
    r"""A text inside the braces of a BibTeX field: braces always balance, nothing is a command.

    Examples
    --------
    >>> tex("50% of {A_1}")
    '50\\% of \\textbraceleft{}A\\_1\\textbraceright{}'
    """
    return _plain(text).translate(_TABLE)


def bibtex(reference: Reference) -> str:
    """BibTeX, as ``@misc``."""
    fields = {
        "author": " and ".join(_bibtex_name(author) for author in reference.authors),
        # Double braces keep the capitals of names and abbreviations.
        "title": f"{{{tex(reference.title)}}}",
        "year": str(reference.published.year),
        "month": str(reference.published.month),
        "version": tex(reference.version),
        "howpublished": tex(f"{reference.publisher}, {reference.identifier}, version {reference.version}"),
        "publisher": tex(reference.publisher),
        "doi": tex(reference.doi),
        "url": _plain(reference.address),
        "note": tex(f"SHA-256 {reference.digest}"),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{reference.key},\n" + ",\n".join(lines) + "\n}\n"


def ris(reference: Reference) -> str:
    """RIS: one field a line."""
    lines = [("TY", "GEN")]
    lines += [("AU", author.inverted) for author in reference.authors]
    lines += [
        ("TI", reference.title),
        ("PY", str(reference.published.year)),
        ("DA", f"{reference.published:%Y/%m/%d}"),
        ("ET", reference.version),
        ("PB", reference.publisher),
        ("ID", reference.identifier),
        ("DO", reference.doi),
        ("UR", reference.address),
        ("N1", f"SHA-256 {reference.digest}"),
        ("AB", reference.abstract),
    ]
    return "".join(f"{tag}  - {_plain(value)}\r\n" for tag, value in lines if value) + "ER  - \r\n"


def cff(reference: Reference) -> str:
    """Citation File Format 1.2, as a data set with the design as its content."""
    identifiers = [("other", reference.identifier), ("other", f"sha256:{reference.digest}")]
    if reference.concept_doi:
        identifiers.append(("doi", reference.concept_doi))
    lines = [
        "cff-version: 1.2.0",
        f"message: {_yaml('Please cite the registered design by its version.')}",
        "type: dataset",
        f"title: {_yaml(reference.title)}",
        f"version: {_yaml(reference.version)}",
        f"date-released: {_yaml(reference.published.isoformat())}",
        f"url: {_yaml(reference.address)}",
    ]
    if reference.doi:
        lines.append(f"doi: {_yaml(reference.doi)}")
    if reference.abstract:
        lines.append(f"abstract: {_yaml(reference.abstract)}")
    lines.append("authors:")
    for author in reference.authors:
        lines += _cff_author(author)
    lines.append("identifiers:")
    for kind, value in identifiers:
        lines += [f"  - type: {kind}", f"    value: {_yaml(value)}"]
    return "\n".join(lines) + "\n"


def sentence(reference: Reference) -> str:
    """The citation as people read it."""
    names = "; ".join(author.inverted for author in reference.authors)
    where = f"https://doi.org/{reference.doi}" if reference.doi else reference.address
    return (
        f"{names} ({reference.published.year}). {reference.title} (version {reference.version}). "
        f"{reference.publisher}, {reference.identifier}. {where}"
    )


FORMATS: Final[dict[str, tuple[Callable[[Reference], str], str]]] = {
    "bib": (bibtex, "application/x-bibtex"),
    "ris": (ris, "application/x-research-info-systems"),
    "cff": (cff, "application/yaml"),
}


def _bibtex_name(author: Author) -> str:
    """A name that BibTeX takes for one person: braces around groups and around words that it would split at."""
    text = tex(author.name)
    if author.is_group or re.search(r"\band\b|\bothers\b", text, re.IGNORECASE):
        return f"{{{text}}}"
    family, given = author.parts
    if "," in given:
        return f"{{{text}}}"
    return f"{tex(family)}, {tex(given)}" if given else f"{{{text}}}"


def _cff_author(author: Author) -> list[str]:
    family, given = author.parts
    if author.is_group or not given or not family:
        lines = [f"  - name: {_yaml(author.name)}"]
    else:
        lines = [f"  - family-names: {_yaml(family)}", f"    given-names: {_yaml(given)}"]
        if author.affiliation:
            lines.append(f"    affiliation: {_yaml(author.affiliation)}")
    return lines


def _yaml(text: str) -> str:
    """A text as a double-quoted YAML scalar; JSON is one."""
    return json.dumps(_plain(text), ensure_ascii=False)


def _plain(text: str) -> str:
    """One line without control characters, which no citation file can hold."""
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    kept = "".join(c for c in kept if unicodedata.category(c) not in ("Cs", "Cn", "Co") and c != "\ufeff")
    return " ".join(kept.split())
