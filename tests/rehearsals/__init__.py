"""Generated designs of all kinds of problem, and what a rehearsal finds in them."""
