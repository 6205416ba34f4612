"""Comparison of web pages and papers with the registered design (REG-9)."""
