"""Rankings over REST."""
