"""Contributions of this app to other apps; they are connected when the app is ready."""
