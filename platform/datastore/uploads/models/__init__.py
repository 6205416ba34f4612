"""Incoming files."""

from datastore.uploads.models.form_files import FormFile
from datastore.uploads.models.incoming import Incoming, Multipart, Upload

__all__ = ["FormFile", "Incoming", "Multipart", "Upload"]
