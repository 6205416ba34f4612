"""What happened in a challenge, read once, and what that exposed it to."""
