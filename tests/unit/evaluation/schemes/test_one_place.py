"""Differences between ranking schemes are defined in their objects; other modules do not compare ids."""

import io
import tokenize
from pathlib import Path

from evaluation.ranking.schemes import all_schemes

ROOT = Path(__file__).parents[4]
ALLOWED: frozenset[str] = frozenset()
"""Modules outside `evaluation/ranking/schemes` that can name a scheme by its id, each with a reason."""


def test_no_module_outside_the_schemes_names_one_by_its_id():
    ids = tuple(scheme.id for scheme in all_schemes())
    naming = set()
    for folder in ("evaluation", "platform", "client"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith("evaluation/ranking/schemes/") and any(_names(path, scheme) for scheme in ids):
                naming.add(place)
    assert naming == ALLOWED, f"ask the scheme object instead of naming its id: {sorted(naming ^ ALLOWED)}"


def _names(path, scheme):
    text = path.read_text(encoding="utf-8")
    if scheme not in text:
        return False
    kinds = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
    return any(
        token.type in kinds and scheme in token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
    )
