"""Plain values: no database, no request."""
