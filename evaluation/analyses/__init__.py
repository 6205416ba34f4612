"""Analyses of a ranking: each question once, with its computation, its figure and its sentences.

Leaderboards, reports and the command line use them from here (`evaluation.analyses.catalogue`).
`evaluation.analyses.sources` contains shared data and computes each derived table once.
"""
