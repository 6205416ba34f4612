"""Plain values and computations: no database, no request."""
