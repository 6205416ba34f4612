"""The pseudo-code, executed: an interpreter of its statements beside the implementation, on random designs and data."""
