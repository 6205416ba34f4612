"""Submissions over REST."""
