"""Example designs as data."""
