"""Sealed list of a site's cases: a digest with a secret.

The secret prevents others from testing whether a case is in the list.
"""

from __future__ import annotations

import hmac
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.exclusions import GRADES
from evaluation.canonical import canonical_json
from evaluation.federation.errors import FederationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CASE: Final = b"podium-case-1\0"
_MANIFEST: Final = b"podium-manifest-1\0"
SECRET_BYTES: Final = 32


@dataclass(frozen=True)
class SealedCase:
    """A case as it is sealed.

    Attributes
    ----------
    files
        SHA-256 of every file by its name.
    reference
        SHA-256 of the reference.
    grade
        One of `evaluation.assessment.exclusions.GRADES`.
    unit
        What counts as one independent observation: the case itself, or its patient.
    """

    case: str
    files: Mapping[str, str]
    reference: str
    grade: str
    unit: str

    @property
    def document(self) -> dict[str, Any]:
        """Return the case as it enters the digest."""
        return {
            "case": self.case,
            "files": dict(self.files),
            "reference": self.reference,
            "grade": self.grade,
            "unit": self.unit,
        }


@dataclass(frozen=True)
class Sealed:
    """A manifest with its digest; only the digest and the counts may leave the site."""

    manifest: Mapping[str, Any]
    digest: str
    cases: int
    units: int
    grades: Mapping[str, int]


def leaf(secret: bytes, case: SealedCase) -> str:
    """HMAC-SHA-256 of a case, 64 hexadecimal digits."""
    return hmac.digest(_checked(secret), _CASE + canonical_json(case.document).encode(), "sha256").hex()


def seal(secret: bytes, site: str, cases: Sequence[SealedCase], *, version: int = 1, preparation: str = "") -> Sealed:
    """Seal the cases of a site.

    Parameters
    ----------
    secret
        32 bytes that never leave the site.
    version
        Number of the manifest of this site, from 1.
    preparation
        SHA-256 of the preparation applied to the images before; absent if empty.

    Raises
    ------
    FederationError
        For no cases, a case that appears twice, equal files in two cases, or an unknown grade.
    """
    if not cases:
        message = f"site {site} has no cases to seal"
        raise FederationError(message)
    owners: dict[str, str] = {}
    for case in cases:
        if case.grade not in GRADES:
            message = f"case {case.case} has the grade {case.grade!r}; a grade is one of {', '.join(GRADES)}"
            raise FederationError(message)
        for digest in sorted({*case.files.values()}):
            other = owners.setdefault(digest, case.case)
            if other != case.case:
                message = f"cases {other} and {case.case} share a file: remove one of them before sealing"
                raise FederationError(message)
    names = Counter(case.case for case in cases)
    doubled = next((name for name, number in names.items() if number > 1), None)
    if doubled is not None:
        message = f"case {doubled} stands there twice"
        raise FederationError(message)
    manifest: dict[str, Any] = {"schema": "podium.site-manifest/1", "site": site, "version": version}
    if preparation:
        manifest["preparation"] = preparation
    manifest["leaves"] = sorted(leaf(secret, case) for case in cases)
    grades = Counter(case.grade for case in cases)
    return Sealed(
        manifest=manifest,
        digest=digest_of(secret, manifest),
        cases=len(cases),
        units=len({case.unit for case in cases}),
        grades={grade: grades[grade] for grade in GRADES},
    )


def digest_of(secret: bytes, manifest: Mapping[str, Any]) -> str:
    """HMAC-SHA-256 of a manifest, 64 hexadecimal digits."""
    return hmac.digest(_checked(secret), _MANIFEST + canonical_json(manifest).encode(), "sha256").hex()


def _checked(secret: bytes) -> bytes:
    if len(secret) != SECRET_BYTES:
        message = f"the secret of a site has {SECRET_BYTES} bytes"
        raise FederationError(message)
    return secret
