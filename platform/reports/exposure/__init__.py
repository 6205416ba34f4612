"""Events in a challenge, read once, and the manipulations that they made possible."""
