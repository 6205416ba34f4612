"""Plain values, computations and file formats: no database, no request; confined children run them."""
