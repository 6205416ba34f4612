"""Contributions of this app to the apps above it; they are connected when the app is ready."""
