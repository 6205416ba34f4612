"""Algorithms submitted as container images by programs, and their runs."""
