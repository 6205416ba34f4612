"""Scoring images that organizers bring: taken, tried, and run on what teams hand in."""
