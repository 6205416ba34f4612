"""What is on its way in."""

from uploads.models.incoming import Incoming, Multipart, Upload

__all__ = ["Incoming", "Multipart", "Upload"]
