"""Designs over REST."""
