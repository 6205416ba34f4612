"""Handling of files that a person uploaded but did not submit, when they leave."""

from accounts import hooks
from datastore.uploads.services import form_files


def register() -> None:
    """Answer the hooks of accounts."""
    hooks.leavings.register(form_files.leave)
