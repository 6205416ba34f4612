"""Acts."""
