"""Reads of the drift check."""
