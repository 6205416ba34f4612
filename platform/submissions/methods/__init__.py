"""Method descriptions: the catalogue's algorithm parameters as a form, stored entries, completeness, what is public."""
