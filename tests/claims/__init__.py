"""Generated challenges, and for each sentence an independent predicate on the raw tables (docs/claims.md)."""
