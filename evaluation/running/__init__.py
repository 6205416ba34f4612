"""Algorithms that are run instead of predictions that are handed in: what the platform and `podium try` share.

Pure rules without an engine: the document that tells a container what to do, opaque names of cases, what an observation means
for a case, the table of runs, and what a scorer of an organizer's own may answer.
"""
