"""Algorithms that teams hand in as container images: kept, run on cases, and what became of each case."""
