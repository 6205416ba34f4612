"""Reads worth naming."""
