"""Errors for refused uploads, and the checksum of a piece; for uploads of every kind."""

from dataclasses import dataclass


class UploadError(Exception):
    """An upload that is not taken, with a message for the participant."""


class PhaseNotOpenError(UploadError):
    """The phase takes no submissions now."""


class NotAllowedError(UploadError):
    """The team may not submit."""


class TooLargeError(UploadError):
    """More bytes than are taken."""


class QuotaExceededError(UploadError):
    """The team has used up what it may submit."""


class NoRoomError(UploadError):
    """No space at the moment; worth trying again later."""


class AwayError(UploadError):
    """The object store does not answer; worth trying again later."""


class OffsetError(UploadError):
    """The piece does not begin where the received bytes end."""


class BusyError(UploadError):
    """Another request is writing to the same upload."""


class ChecksumError(UploadError):
    """The piece arrived damaged and was thrown away."""


class TokenReusedError(UploadError):
    """The key of an earlier request came with other content."""


class GoneError(UploadError):
    """The upload has been cancelled, has expired, or was refused."""


@dataclass(frozen=True)
class Checksum:
    """Digest of a piece as the sender stated it."""

    algorithm: str
    digest: bytes
