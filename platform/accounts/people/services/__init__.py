"""Acts on invitations and roles."""
