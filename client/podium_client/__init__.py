"""Take part in challenges from the command line."""
