"""Every sentence that is made from results, each with the condition under which it is true (`docs/claims.md`)."""
