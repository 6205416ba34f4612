"""Plain values: the key of the installation, and the rules of a federation."""
