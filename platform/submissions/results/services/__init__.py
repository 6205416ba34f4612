"""Acts: plain functions with keyword arguments, one transaction each, named for the act."""
