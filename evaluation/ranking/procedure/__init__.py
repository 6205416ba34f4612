"""The way from values to ranks as statements: shown as pseudo-code, read by the rules, and executed by the tests."""

from evaluation.ranking.procedure.building import groups_of, procedure_of, ranking_of
from evaluation.ranking.procedure.lines import procedure_lines, ranking_lines
from evaluation.ranking.procedure.statements import Procedure, Ranking

__all__ = ["Procedure", "Ranking", "groups_of", "procedure_lines", "procedure_of", "ranking_lines", "ranking_of"]
