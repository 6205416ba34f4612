"""Contributions of this app to other apps, connected when the app is ready."""
