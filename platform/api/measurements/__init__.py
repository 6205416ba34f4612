"""Values measured outside over REST."""
