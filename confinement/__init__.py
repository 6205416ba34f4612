"""The cell in which strangers' files are read: child processes with no network, no other files, and bounds on everything.

Knows neither Django nor the platform: bounds and folders are passed in. What it holds against whom is in
docs/confinement.md.
"""
