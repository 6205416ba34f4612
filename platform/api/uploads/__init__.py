"""Uploads over REST."""
