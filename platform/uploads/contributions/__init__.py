"""What this app tells others; connected when it is ready."""
