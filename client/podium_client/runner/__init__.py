"""`podium runner`: a machine that runs algorithms for an installation, with a token as its only secret."""
