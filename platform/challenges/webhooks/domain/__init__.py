"""Events, signatures and formats of webhooks, without database."""
