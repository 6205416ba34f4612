"""Uncertainty of rankings: simultaneous rank sets, the winner rule, and what depends on failures and on other entries."""
