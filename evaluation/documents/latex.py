"""Export of a document as LaTeX for a journal with its figures, in one archive."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Final

from evaluation.documents.blocks import Sentence, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluation.documents.blocks import Block
    from evaluation.figures.publication import Printed

_EPOCH: Final = (2026, 1, 1, 0, 0, 0)
PREAMBLE: Final = r"""% Compile with pdflatex, lualatex or xelatex; the class belongs to every TeX distribution.
% For another journal exchange the class: nothing below depends on it.
\documentclass[final,3p]{elsarticle}
\usepackage[T1]{fontenc}
\usepackage{graphicx,longtable,booktabs,array,xcolor,textcomp,amsmath,float}
\usepackage[hidelinks]{hyperref}
% The number of the guideline's item before a sentence. \renewcommand{\bias}[1]{} takes all of them away.
\newcommand{\bias}[1]{\textsuperscript{\scriptsize\color{gray}[#1]}}
% What the authors still have to write.
\newcommand{\towrite}[1]{\par\noindent\colorbox{yellow!25}{\parbox{0.97\linewidth}{#1}}\par}
\begin{document}
"""
_ESCAPED: Final[Mapping[str, str]] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "^": r"\textasciicircum{}",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "%": r"\%",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "\u2060": "{}",
    "\u200b": r"\allowbreak{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "÷": r"\ensuremath{\div}",
    "−": r"\ensuremath{-}",
    "→": r"\ensuremath{\rightarrow}",
    "←": r"\ensuremath{\leftarrow}",
    "∞": r"\ensuremath{\infty}",
    "≈": r"\ensuremath{\approx}",
    "≠": r"\ensuremath{\neq}",
    "²": r"\ensuremath{^{2}}",
    "³": r"\ensuremath{^{3}}",
    "°": r"\ensuremath{^{\circ}}",
    "µ": r"\ensuremath{\mu}",
    "·": r"\ensuremath{\cdot}",
    "½": r"\ensuremath{\tfrac{1}{2}}",
    **{
        letter: rf"\ensuremath{{\{name}}}"
        for letter, name in zip(
            "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
            [
                "alpha",
                "beta",
                "gamma",
                "delta",
                "varepsilon",
                "zeta",
                "eta",
                "theta",
                "iota",
                "kappa",
                "lambda",
                "mu",
                "nu",
                "xi",
                "pi",
                "rho",
                "sigma",
                "tau",
                "upsilon",
                "varphi",
                "chi",
                "psi",
                "omega",
                "Gamma",
                "Delta",
                "Theta",
                "Lambda",
                "Xi",
                "Pi",
                "Sigma",
                "Phi",
                "Psi",
                "Omega",
            ],
            strict=True,
        )
    },
}
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\u200b]")
# Words that narrow columns have no room for.
_LONG: Final = re.compile(r"\S{13,}")
_SECTIONS: Final = ("section", "subsection", "paragraph")


def escaped(text: str) -> str:
    r"""A text of people, in which nothing is read as a command; an empty line does not end the paragraph.

    Examples
    --------
    >>> print(escaped(r"50 % of \input{a} & b_1 ≤ c"))
    50 \% of \textbackslash{}input\{a\} \& b\_1 \ensuremath{\leq} c
    """
    plain = " ".join(_CONTROL.sub("", text).split()).replace("--", "-\u2060-")
    return "".join(_ESCAPED.get(character, character) for character in _LONG.sub(_breakable, plain))


def _breakable(word: re.Match[str]) -> str:
    """A long word, an address, a name of a parameter or a digest, with places where its line may end."""
    return re.sub(r"([/_.;=-]|[0-9a-f]{8})(?=\w)", "\\1\u200b", word.group())


def as_latex(blocks: Iterable[Block]) -> str:
    """Write blocks for the class `elsarticle`; figures are PNG files in the folder ``figures``."""
    sequence = list(blocks)
    labels = labels_of(sequence)
    body = "\n\n".join(filter(None, (_latex(block, labels) for block in sequence)))
    return f"{PREAMBLE}{body}\n\n\\end{{document}}\n"


def as_latex_archive(blocks: Iterable[Block], figures: Mapping[str, Printed]) -> bytes:
    """``paper.tex`` with the figures that it shows; the same document gives the same bytes."""
    sequence = list(blocks)
    figure_names = {block.name for block in sequence if block.kind == "figure"}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("paper.tex", _EPOCH), as_latex(sequence), zipfile.ZIP_DEFLATED)
        for name, figure in figures.items():
            if name in figure_names:
                archive.writestr(zipfile.ZipInfo(f"figures/{_file(name)}", _EPOCH), figure.png)
    return buffer.getvalue()


def _file(name: str) -> str:
    return name if name.endswith(".png") else f"{name}.png"


def _latex(block: Block, labels: Mapping[str, str]) -> str:
    match block.kind:
        case "heading" if block.level == 1:
            anchor = f"\\phantomsection{_label(block.anchor)}" if block.anchor else ""
            return f"\\begin{{frontmatter}}\n\\title{{{escaped(block.text)}}}\n\\end{{frontmatter}}{anchor}"
        case "heading":
            command = _SECTIONS[min(block.level, 4) - 2]
            return f"\\{command}*{{{escaped(block.text)}}}{_label(block.anchor)}"
        case "prose":
            lead = f"\\textbf{{{escaped(block.text)}.}} " if block.text else ""
            return lead + "\n".join(_sentence(Sentence(*row), labels) for row in block.rows)
        case "mark":
            anchor = f"\\phantomsection{_label(block.anchor)}" if block.anchor else ""
            return f"{anchor}\\towrite{{{escaped(block.text)}}}"
        case "remark":
            return f"{{\\small {escaped(block.text)}\\par}}"
        case "list":
            return (
                "\\begin{itemize}\n" + "\n".join(f"\\item {escaped(item)}" for item in block.items) + "\n\\end{itemize}"
            )
        case "code":
            lines = "\\\\\n".join(escaped(line) or "~" for line in block.text.splitlines())
            return f"{{\\small\\ttfamily\\noindent {lines}\\par}}"
        case "digest":
            return f"{escaped(block.items[0])}: \\texttt{{{escaped(block.text)}}}"
        case "figure":
            return (
                # Where it is: beside the sentence that it supports.
                f"\\begin{{figure}}[H]\n\\centering\\includegraphics[width=0.9\\linewidth,height=0.36\\textheight,keepaspectratio]"
                f"{{figures/{_file(block.name)}}}\n"
                f"\\caption{{{escaped(block.text)}}}{_label(block.anchor)}\n\\end{{figure}}"
            )
        case "table":
            return _table(block, [[escaped(cell) for cell in row] for row in block.rows])
        case "checklist":
            rows = [
                [
                    f"{_target(row[0])}{escaped(row[1])}",
                    *map(escaped, row[2:-1]),
                    f"\\pageref{{{row[-1]}}}" if row[-1] else "--",
                ]
                for row in block.rows
            ]
            return _table(block, rows)
        case "break":
            return "\\clearpage"
        case "record":
            return ""
    return escaped(block.text)


def _sentence(sentence: Sentence, labels: Mapping[str, str]) -> str:
    notes = ", ".join(f"\\hyperlink{{{anchor}}}{{{escaped(words)}}}" for anchor, words in sentence.noted)
    margin = f"\\bias{{{notes}}}" if notes else ""
    places = "".join(f"\\phantomsection{_label(anchor)}" for anchor in sentence.anchors.split())
    links = ", ".join(
        f"{escaped(labels[anchor].partition(' ')[0])}~\\ref{{{anchor}}}" for anchor in sentence.references.split()
    )
    return f"{places}{margin}{escaped(sentence.words)}{f' ({links})' if links else ''}{escaped(sentence.end)}"


def _table(block: Block, rows: list[list[str]]) -> str:
    """A table that may go over pages; columns with long cells get the room."""
    lengths = [
        max(3, *(min(max(map(len, text.split() or [""])) if len(text) > 60 else len(text), 60) for text in column))
        for column in zip(block.columns, *rows, strict=True)
    ]
    # Between two columns there are 6 pt, a little more than a hundredth of the line; a head of few letters needs its room.
    lengths = [length + 2 for length in lengths]
    room = 0.99 - 0.014 * len(lengths)
    share = [round(room * length / sum(lengths), 3) for length in lengths]
    columns = "".join(f">{{\\raggedright\\arraybackslash}}p{{{part}\\linewidth}}" for part in share)
    caption = f"\\caption{{{escaped(block.text)}}}{_label(block.anchor)}\\\\\n" if block.label else ""
    head = " & ".join(f"\\textbf{{{escaped(column)}}}" for column in block.columns)
    body = "\n".join(" & ".join(cells) + " \\\\" for cells in rows)
    return (
        f"{{\\footnotesize\\setlength{{\\tabcolsep}}{{3pt}}\n\\begin{{longtable}}{{{columns}}}\n{caption}\\toprule\n{head} \\\\\n"
        f"\\midrule\\endhead\n{body}\n\\bottomrule\n\\end{{longtable}}}}"
    )


def _label(anchor: str) -> str:
    return f"\\label{{{anchor}}}" if anchor else ""


def _target(anchor: str) -> str:
    return f"\\hypertarget{{{anchor}}}{{}}" if anchor else ""
