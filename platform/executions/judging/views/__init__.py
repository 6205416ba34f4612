"""HTTP in, HTTP out."""
