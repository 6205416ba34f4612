"""Files: how they arrive and where they are stored, data sets for participants, and sealed test sets."""
