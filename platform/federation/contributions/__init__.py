"""What this app adds to the apps above it; connected when it is ready."""
