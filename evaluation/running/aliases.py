"""Opaque names of hidden cases, so that an image cannot carry answers by name."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def alias(key: bytes, case: str) -> str:
    """Name under which a container sees a case.

    Parameters
    ----------
    key
        Secret of the execution.
    case
        Name of the case.

    Examples
    --------
    >>> alias(bytes(range(32)), "case_2")
    'cf14c37721fad'
    """
    return "c" + hmac.new(key, case.encode(), hashlib.sha256).hexdigest()[:12]


def aliases(key: bytes, cases: Iterable[str]) -> dict[str, str]:
    """Alias of each case, by its name, in the order in which an execution works through them: another for every key.

    Raises
    ------
    ValueError
        When two cases would have the same name, which asks for another key.
    """
    alias_by_case = {case: alias(key, case) for case in cases}
    if len(set(alias_by_case.values())) < len(alias_by_case):
        message = "two cases would have the same opaque name; take another key"
        raise ValueError(message)
    # By the end of the digest too: the order of names would be the order of aliases, which tells nothing either.
    return dict(
        sorted(
            alias_by_case.items(), key=lambda pair: hmac.new(key, b"order:" + pair[0].encode(), hashlib.sha256).digest()
        )
    )
