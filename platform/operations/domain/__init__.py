"""Plain values: what a backup says of itself, what `.env` holds, whether the web process answers."""
