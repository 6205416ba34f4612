"""Signed messages to the addresses of organizers and chairs about events of a challenge or a call."""
