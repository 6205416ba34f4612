"""Sealed references, their annotators, decoys, replacement and the log of who looked at them."""
