"""`podium site`: evaluation where the data are. Everything of a site is one folder; nothing of a case leaves it."""
