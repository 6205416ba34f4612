"""Plain values: ranges of bytes, names of files."""
