"""The structured challenge design as data: catalogue, document, completeness, checks, compilation, differences, exports.

Nothing here needs a database: what the platform keeps beside a document (other designs, answers to warnings) is handed
in by it, see `evaluation.designs.checks.StoredDesign`.
"""
