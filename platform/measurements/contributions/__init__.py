"""What this app answers to the hooks of the apps above it."""
