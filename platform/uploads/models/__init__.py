"""What is on its way in."""

from uploads.models.incoming import Incoming
from uploads.models.uploads import Multipart, Upload

__all__ = ["Incoming", "Multipart", "Upload"]
