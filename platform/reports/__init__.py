"""Reports: of a challenge by the BIAS guideline, and of a team.

facts → items and benchmark → content → files. `reports.exposure.queries.facts` reads the database once; everything after it is a pure function of
the facts and of immutable result files, so that a report is named by the digest of what went into it.
"""
