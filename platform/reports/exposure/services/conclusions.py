"""The pattern of what the exposure report concludes about an attack: a sentence, its condition, and how far it covers."""

from dataclasses import dataclass
from typing import Any, Final

from evaluation.claims.catalogue import Catalogue, Claim, Group, Said
from reports.exposure.services.case import Case, Cover

CATALOGUE: Final = Catalogue()
"""The claims of exposure reports."""


@dataclass(frozen=True)
class Conclusion(Claim[Case]):
    """A claim about an attack, with how far the attack is covered where it holds."""

    cover: Cover = Cover.UNCOVERED


def conclude(group: Group, case: Case) -> tuple[Cover, Said]:
    """The first conclusion of a group that is true of a challenge, and what it means for the attack."""
    conclusion = group.first(case)
    claim = CATALOGUE.claims[conclusion.claim]
    assert isinstance(claim, Conclusion)
    return claim.cover, conclusion


def always(_: Any) -> bool:
    return True


def group(attack: str, *claims: tuple[Cover, str, str, Any, Any]) -> Group:
    """Return the claims about one attack.

    Each claim consists of cover, name, condition, predicate and text. The text can depend on the challenge.
    """
    return CATALOGUE.group(
        *[
            Conclusion(
                f"{attack}.{name}",
                condition,
                true,
                words if callable(words) else lambda _, text=words: text,  # type: ignore[misc]
                example="" if callable(words) else words,
                cover=cover,
            )
            for cover, name, condition, true, words in claims
        ]
    )
