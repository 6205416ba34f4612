"""Executed pseudo-code: an interpreter of its statements, compared with the implementation.

The designs and data are random.
"""
