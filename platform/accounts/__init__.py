"""People: sign-up, profile, affiliations, tokens."""
