"""Results tables of finished challenges, brought by programs."""
