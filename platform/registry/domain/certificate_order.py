"""The order of certificates in a timestamp response (RFC 3161, RFC 5652).

The certificates are a set, which DER sorts by their encoding. OpenSSL writes them in the order of its configuration, the
signer's first, so a strict reader refuses a response with more than one. Their order is not signed and has no meaning.
"""

from typing import NamedTuple

_SEQUENCE, _EXPLICIT = 0x30, 0xA0
_LONG = 0x80


class _Element(NamedTuple):
    """One element of an encoding: its tag, and where it begins, its content begins, and it ends."""

    tag: int
    start: int
    content: int
    end: int


def sorted_certificates(response: bytes) -> bytes:
    """Return a timestamp response with its certificates in the order of DER; as it is where it has no certificates.

    Nothing else changes, lengths included. A response that cannot be read is returned as it is: its decoder explains why.
    """
    try:
        certificates = _certificates(response)
        if certificates is None:
            return response
        parts = [response[part.start : part.end] for part in _children(response, certificates)]
    except (IndexError, ValueError):
        return response
    return response[: certificates.content] + b"".join(sorted(parts)) + response[certificates.end :]


def _certificates(response: bytes) -> _Element | None:
    """Return the certificates: status, then the content's type and the signed data, whose fourth field they are."""
    whole = _element(response, 0, len(response))
    _status, token = _children(response, whole)
    _kind, explicit = _children(response, token)
    [signed_data] = _children(response, explicit)
    fields = _children(response, signed_data)
    if [whole.tag, token.tag, explicit.tag, signed_data.tag] != [_SEQUENCE, _SEQUENCE, _EXPLICIT, _SEQUENCE]:
        raise ValueError("This is not a timestamp response.")
    # Version, digest algorithms, content, certificates (optional), revocations (optional), signers.
    return fields[3] if fields[3].tag == _EXPLICIT else None


def _children(data: bytes, parent: _Element) -> list[_Element]:
    elements, position = [], parent.content
    while position < parent.end:
        elements.append(_element(data, position, parent.end))
        position = elements[-1].end
    return elements


def _element(data: bytes, start: int, end: int) -> _Element:
    length, content = data[start + 1], start + 2
    if length & _LONG:
        size = length & ~_LONG
        length, content = int.from_bytes(data[content : content + size], "big"), content + size
        if not size:
            raise ValueError("The length is not definite.")
    if content + length > end:
        raise ValueError("The element is longer than what contains it.")
    return _Element(data[start], start, content, content + length)
