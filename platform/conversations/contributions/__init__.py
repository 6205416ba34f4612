"""What this app adds to others; connected when it is ready."""
