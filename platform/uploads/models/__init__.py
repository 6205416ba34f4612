"""Incoming files."""

from uploads.models.form_files import FormFile
from uploads.models.incoming import Incoming, Multipart, Upload

__all__ = ["FormFile", "Incoming", "Multipart", "Upload"]
