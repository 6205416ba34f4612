"""Quality of a test set: suspect references, overlap with other data, and sanity before sealing."""
