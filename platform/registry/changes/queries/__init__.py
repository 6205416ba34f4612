"""Reads worth naming: documents and histories, requests, who decides about what."""
