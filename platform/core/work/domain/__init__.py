"""Parts of durable work that need neither Django nor the database."""
