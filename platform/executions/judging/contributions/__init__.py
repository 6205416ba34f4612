"""Contributions of this app to the apps above it."""
