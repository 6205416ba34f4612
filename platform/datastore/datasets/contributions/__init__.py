"""Contributions of this app to the apps above it, connected when the app is ready."""
