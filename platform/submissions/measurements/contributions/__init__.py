"""Answers of this app to the hooks of the apps above it."""
