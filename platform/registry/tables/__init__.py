"""Output shaped."""
