"""Reactions of this app to events elsewhere, connected when the app is ready."""
