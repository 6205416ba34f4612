"""The boundary: files that come with a plain form."""

from typing import Any

from django import forms

from datastore.uploads.storage import upload_limits


def bounded(archive: Any) -> Any:
    """Take a file that is not larger than what is taken at all."""
    if archive.size > upload_limits().max_bytes:
        raise forms.ValidationError(f"The file is larger than the {upload_limits().max_bytes:,} bytes that are taken.")
    return archive
