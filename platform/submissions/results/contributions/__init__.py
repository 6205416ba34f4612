"""Contributions of this app to the pages of others."""
