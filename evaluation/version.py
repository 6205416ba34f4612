"""Version of the software, which documents and results name."""

__version__ = "0.2.0"
