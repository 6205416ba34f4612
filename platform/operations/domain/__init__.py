"""Plain values: backup manifests, the content of `.env`, the health of the web process."""
