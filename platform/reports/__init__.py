"""Reports: of a challenge by the BIAS guideline, of a team, and of what the challenge was exposed to.

facts → items and benchmark → content → files. `facts` reads the database once; everything after it is a pure function of
the facts and of immutable result files, so that a report is named by the digest of what went into it.
"""
