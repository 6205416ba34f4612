"""The registry over REST."""
