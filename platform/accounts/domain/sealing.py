"""Encryption of second factors at rest: Fernet keys derived from `SECRET_KEY` and its fallbacks.

Codes are computed from these secrets, so a digest would not do. The database and its backups do not contain the key.
"""

import base64
from collections.abc import Mapping
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ValidationError

_INFO: Final = b"podium/second-factor/1"
_TOKEN: Final = "gAAAA"  # noqa: S105 (the beginning of every Fernet token)
_FIELDS: Final = ("secret", "seed")
UNREADABLE: Final = (
    "Your second factor cannot be checked, because the key of this installation has changed. Write to the operators."
)


def _fernet(secret_key: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_INFO).derive(secret_key.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


def _keys() -> MultiFernet:
    return MultiFernet([_fernet(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def seal(text: str) -> str:
    """Encrypt a secret with the present key."""
    return _keys().encrypt(text.encode()).decode()


def unseal(token: str) -> str:
    """Decrypt a secret, also one that an earlier key encrypted.

    Raises
    ------
    ValidationError
        When no key fits; an empty secret would let predictable codes in.
    """
    try:
        return _keys().decrypt(token.encode()).decode()
    except InvalidToken as error:
        raise ValidationError(UNREADABLE) from error


def is_sealed(text: str) -> bool:
    """Return whether a stored value is encrypted, by its prefix.

    Neither base32 secrets nor hexadecimal seeds begin with this prefix.
    """
    return text.startswith(_TOKEN)


def is_current(token: str) -> bool:
    """Return whether a token was encrypted with the present key."""
    try:
        _fernet(settings.SECRET_KEY).decrypt(token.encode())
    except InvalidToken:
        return False
    return True


def sealed_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an authenticator with every plain secret encrypted, and tokens of earlier keys renewed."""
    return _each(data, lambda text: text if is_sealed(text) and is_current(text) else seal(_plain(text)))


def plain_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an authenticator with every secret decrypted."""
    return _each(data, _plain)


def _plain(text: str) -> str:
    return unseal(text) if is_sealed(text) else text


def _each(data: Mapping[str, Any], change: Any) -> dict[str, Any]:
    changed = {name: change(value) if name in _FIELDS else value for name, value in data.items()}
    if "migrated_codes" in data:
        changed["migrated_codes"] = [change(code) for code in data["migrated_codes"]]
    return changed
