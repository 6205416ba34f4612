"""Acts: keyword arguments, one transaction each."""
