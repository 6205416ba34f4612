"""The structured challenge design as data: catalogue, document, completeness, checks, compilation, exports.

Differences between documents belong here too. Nothing here needs a database. The platform stores other designs and
answers to warnings next to a document and passes them in, see `evaluation.designs.checks.StoredDesign`.
"""
