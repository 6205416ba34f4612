"""Plain values, computations and file formats: no request; confined children run them."""
