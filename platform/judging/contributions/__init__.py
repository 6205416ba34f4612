"""What this app adds to the apps above it."""
