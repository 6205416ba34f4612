"""Challenges as code: a folder that describes a challenge, compared with an installation and applied to it."""
