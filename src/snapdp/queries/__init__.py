"""Statistics: integer numerator, sensitivity, public range and factor, under a neighbour relation.

Room: queries. Used by planner and release; imports mechanism and exact. What is exported here cannot see data; `exact`,
for the release room alone, turns aggregates of a table into exact numerators.
"""

from snapdp.data.schema import (
    CategoryColumn,
    Column,
    NumberColumn,
    category_column,
    integer_column,
    number_column,
)
from snapdp.queries.base import Numerator, Part, Query, mechanism
from snapdp.queries.counts import Condition, condition, count_query, histogram_query
from snapdp.queries.moments import covariance_query, derived_mean, mean_query, sum_query, variance_query
from snapdp.queries.relation import Relation, add_remove, change_one

__all__ = [
    "CategoryColumn",
    "Column",
    "Condition",
    "NumberColumn",
    "Numerator",
    "Part",
    "Query",
    "Relation",
    "add_remove",
    "category_column",
    "change_one",
    "condition",
    "count_query",
    "covariance_query",
    "derived_mean",
    "histogram_query",
    "integer_column",
    "mean_query",
    "mechanism",
    "number_column",
    "sum_query",
    "variance_query",
]
