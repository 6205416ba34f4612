"""Acts: opening a federation, inviting sites, taking their messages."""
