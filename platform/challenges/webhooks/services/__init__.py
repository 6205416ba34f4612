"""Acts on webhooks, and the sending of their messages."""
