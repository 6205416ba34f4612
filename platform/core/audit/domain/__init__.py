"""Digests of values, without the database."""
