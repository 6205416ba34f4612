"""Data of challenges over HTTP: what there is, and addresses of files."""
