"""Notebook of a starter kit: predict and score the sample cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.starter.facts import KitFacts


def notebook(facts: KitFacts) -> str:
    """Return ``score.ipynb``.

    Examples
    --------
    >>> from evaluation.starter.facts import KitFacts
    >>> document = json.loads(notebook(KitFacts("Demo", "demo", "https://podium.example.org/", "Final", "final")))
    >>> [cell["cell_type"] for cell in document["cells"]]
    ['markdown', 'code', 'code', 'code', 'markdown', 'code']
    """
    cells = [
        _markdown(f"# {facts.title}: score the sample cases", "Install once: `pip install -r requirements.txt`"),
        _code("!python predict.py"),
        _code(
            "from podium_client import Challenge",
            "",
            'scored = Challenge("assessment.json").score("predictions", "sample/references")',
            'print("\\n".join(scored.lines))',
        ),
        _code("[row for row in scored.folders.rows if row.case][:10]  # the value of each case"),
        _markdown("The public address of the challenge gives the same assessment, so the values are the same."),
        _code(
            f"# Challenge({json.dumps(facts.address)}, phase={json.dumps(facts.phase_slug)})"
            '.score("predictions", "sample/references")'
        ),
    ]
    document = {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells, start=1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _markdown(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": "\n\n".join(lines)}


def _code(*lines: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": "\n".join(lines)}
