"""What is asked of a ranking: each question once, with its computation, its figure and its sentences.

Boards, reports and the command line take theirs from here (`evaluation.analyses.catalogue`); `evaluation.analyses.sources`
holds what several of them need and makes each derived table once.
"""
