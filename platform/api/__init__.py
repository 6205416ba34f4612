"""The REST interface to all of the platform."""
