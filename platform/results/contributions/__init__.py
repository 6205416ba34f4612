"""What this app adds to the pages of others."""
