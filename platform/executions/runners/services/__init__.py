"""Acts of runners, and processing of their results."""
