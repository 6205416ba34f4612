"""Linters of what is no Python: scripts, styles and templates."""
