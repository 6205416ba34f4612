"""Machines elsewhere that run algorithms with a token as their only secret."""
