"""What is declared and asked: columns, neighbour relation, statistics, plan, study file. No data."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.studies.aggregates import (
        Aggregate as Aggregate,
        Aggregates as Aggregates,
        Bins as Bins,
        Categories as Categories,
        Count as Count,
        LevelCounts as LevelCounts,
        Levels as Levels,
        Member as Member,
        People as People,
        Persons as Persons,
        Present as Present,
        Products as Products,
        Sum as Sum,
        Test as Test,
    )
    from snapdp.studies.categories import (
        BOOLEAN as BOOLEAN,
        BOOLEAN_WORDS as BOOLEAN_WORDS,
        DATE as DATE,
        FALSE_WORD as FALSE_WORD,
        ISO_DATE as ISO_DATE,
        KIND_KEYS as KIND_KEYS,
        ONE as ONE,
        PLAIN_NUMBER as PLAIN_NUMBER,
        TRUE_WORD as TRUE_WORD,
        ZERO as ZERO,
        BooleanColumn as BooleanColumn,
        DateColumn as DateColumn,
        boolean_column as boolean_column,
        date_column as date_column,
        place_of as place_of,
    )
    from snapdp.studies.columns import (
        AS_NUMBERS as AS_NUMBERS,
        AS_TEXT as AS_TEXT,
        BINNED as BINNED,
        CATEGORY as CATEGORY,
        DEFAULT_LEVELS as DEFAULT_LEVELS,
        DROPPED as DROPPED,
        INLINE as INLINE,
        INTEGER as INTEGER,
        MIDDLE as MIDDLE,
        NUMBER as NUMBER,
        PERSON as PERSON,
        CategoryColumn as CategoryColumn,
        Column as Column,
        NumberColumn as NumberColumn,
        PersonColumn as PersonColumn,
        category_column as category_column,
        integer_column as integer_column,
        number_column as number_column,
        storable as storable,
    )
    from snapdp.studies.comparisons import compared as compared
    from snapdp.studies.conditions import Condition as Condition, condition as condition
    from snapdp.studies.csv_dialect import (
        ENCODINGS as ENCODINGS,
        CsvDialect as CsvDialect,
        dialect_from as dialect_from,
        dialect_words as dialect_words,
        is_text as is_text,
        stated_dialect as stated_dialect,
    )
    from snapdp.studies.declarations import (
        Unlisted as Unlisted,
        column_from as column_from,
        condition_from as condition_from,
        digest as digest,
        groups_from as groups_from,
        stated_groups as stated_groups,
        stated_levels as stated_levels,
    )
    from snapdp.studies.grouping.bins import BinnedColumn as BinnedColumn, binned as binned
    from snapdp.studies.grouping.groups import (
        By as By,
        CrossedLabels as CrossedLabels,
        GroupColumn as GroupColumn,
        Groups as Groups,
        groups_of as groups_of,
        label_columns as label_columns,
    )
    from snapdp.studies.grouping.hierarchies import (
        MOST_NODES as MOST_NODES,
        Hierarchy as Hierarchy,
        hierarchy_of as hierarchy_of,
    )
    from snapdp.studies.grouping.keys import (
        KEY as KEY,
        KEY_NUMBER as KEY_NUMBER,
        LONGEST_KEY as LONGEST_KEY,
        MOST_KEYS as MOST_KEYS,
        KeyColumn as KeyColumn,
        KeyedGroups as KeyedGroups,
        KeyFile as KeyFile,
        KeyLabels as KeyLabels,
        KeyReader as KeyReader,
        Keys as Keys,
        digest_of_keys as digest_of_keys,
        key_line as key_line,
        keyed_groups as keyed_groups,
        keys_of as keys_of,
    )
    from snapdp.studies.grouping.margins import (
        ALL as ALL,
        HIERARCHY as HIERARCHY,
        WIDER as WIDER,
        Margin as Margin,
        Margins as Margins,
        margin_text as margin_text,
    )
    from snapdp.studies.grouping.parents import with_parents as with_parents
    from snapdp.studies.magnitudes import (
        MAGNITUDE as MAGNITUDE,
        MagnitudeColumn as MagnitudeColumn,
        magnitude_column as magnitude_column,
    )
    from snapdp.studies.periods import DAY as DAY, EACH as EACH, MONTH as MONTH, YEAR as YEAR
    from snapdp.studies.plans.asked import Asked as Asked, ask as ask
    from snapdp.studies.plans.cliffs import cliff_in_words as cliff_in_words, cliffs_of as cliffs_of
    from snapdp.studies.plans.cuts import Excess as Excess, excess_of as excess_of
    from snapdp.studies.plans.lines import Line as Line, planned as planned
    from snapdp.studies.plans.offers import UNADJUSTED as UNADJUSTED, Offer as Offer, offer_in_words as offer_in_words
    from snapdp.studies.plans.part_worth import curve_of_part as curve_of_part, part_accuracy as part_accuracy
    from snapdp.studies.plans.plan import Plan as Plan
    from snapdp.studies.plans.reading import reading_of as reading_of
    from snapdp.studies.plans.released_part import (
        RankCurve as RankCurve,
        ReleasedPart as ReleasedPart,
        shown_parts as shown_parts,
    )
    from snapdp.studies.plans.remarks import called_groups as called_groups, part_names as part_names
    from snapdp.studies.plans.remembered import remembered as remembered
    from snapdp.studies.plans.sharing import Sharing as Sharing
    from snapdp.studies.plans.table import error_in_words as error_in_words
    from snapdp.studies.plans.usefulness import Useless as Useless, useless_lines as useless_lines
    from snapdp.studies.plans.variance_ways import OtherWay as OtherWay, other_way as other_way
    from snapdp.studies.plans.words import (
        IN_PYTHON as IN_PYTHON,
        PlanWords as PlanWords,
        Spelling as Spelling,
        details_of as details_of,
        plan_words as plan_words,
        useless_in_words as useless_in_words,
    )
    from snapdp.studies.protection import (
        COUNTED as COUNTED,
        ROWS_LEFT_OUT as ROWS_LEFT_OUT,
        describe_chance as describe_chance,
        describe_most_units as describe_most_units,
        describe_protected as describe_protected,
        describe_rise as describe_rise,
        explain_other_unit as explain_other_unit,
        explain_protection as explain_protection,
        groups_clause as groups_clause,
        person_in_words as person_in_words,
        rows_clause as rows_clause,
        unit_in_words as unit_in_words,
        unit_noun as unit_noun,
        unit_nouns as unit_nouns,
    )
    from snapdp.studies.quantiser import (
        DOUBLE as DOUBLE,
        NARROW as NARROW,
        Quantiser as Quantiser,
        quantiser_of as quantiser_of,
    )
    from snapdp.studies.ranks.magnitudes import (
        BOUNDS as BOUNDS,
        LOWER as LOWER,
        UPPER as UPPER,
        WITHOUT as WITHOUT,
        Magnitudes as Magnitudes,
        magnitudes_query as magnitudes_query,
    )
    from snapdp.studies.ranks.quantiles import (
        DISTRIBUTION as DISTRIBUTION,
        OWN_KEYS as OWN_KEYS,
        QUANTILE as QUANTILE,
        QUARTILES as QUARTILES,
        Quantiles as Quantiles,
        quantiles_query as quantiles_query,
    )
    from snapdp.studies.ranks.rank_figures import (
        RANGES_WITHIN_RANGES as RANGES_WITHIN_RANGES,
        LikelyQuantile as LikelyQuantile,
        RankFigures as RankFigures,
    )
    from snapdp.studies.readable import (
        BETWEEN as BETWEEN,
        Label as Label,
        key_text as key_text,
        label_text as label_text,
        readable_cell as readable_cell,
        readable_keys as readable_keys,
        readable_number as readable_number,
        readable_title as readable_title,
        told_apart as told_apart,
    )
    from snapdp.studies.reader import (
        STUDY_FORMAT as STUDY_FORMAT,
        STUDY_KEYS as STUDY_KEYS,
        DeclaredStudy as DeclaredStudy,
        csv_form as csv_form,
        keys_beside as keys_beside,
        load_study as load_study,
        plan_of as plan_of,
        study_from_toml as study_from_toml,
        study_from_values as study_from_values,
    )
    from snapdp.studies.relation import (
        ADD_REMOVE as ADD_REMOVE,
        CHANGE_ONE as CHANGE_ONE,
        Relation as Relation,
        add_remove as add_remove,
        change_one as change_one,
        identifier_of as identifier_of,
        identifier_values as identifier_values,
        relation_of_account as relation_of_account,
        whole as whole,
        with_identifiers as with_identifiers,
    )
    from snapdp.studies.statistics.answers import (
        Numerators as Numerators,
        aggregates_of as aggregates_of,
        numerators as numerators,
    )
    from snapdp.studies.statistics.centred.means import derived_mean as derived_mean
    from snapdp.studies.statistics.count import RowCount as RowCount, count_query as count_query
    from snapdp.studies.statistics.covariance import Covariance as Covariance, covariance_query as covariance_query
    from snapdp.studies.statistics.drawn import (
        FITS_INT64 as FITS_INT64,
        MEAN_OF as MEAN_OF,
        SHARE as SHARE,
        CellColumns as CellColumns,
        Derived as Derived,
        Printed as Printed,
    )
    from snapdp.studies.statistics.histogram import (
        Histogram as Histogram,
        histogram_query as histogram_query,
        shares_are_of_n as shares_are_of_n,
    )
    from snapdp.studies.statistics.margin_figures import CellError as CellError, MarginFigures as MarginFigures
    from snapdp.studies.statistics.mean import Mean as Mean, mean_query as mean_query
    from snapdp.studies.statistics.number_errors import NumberError as NumberError
    from snapdp.studies.statistics.parts import Numerator as Numerator, Part as Part, mechanism as mechanism
    from snapdp.studies.statistics.persons import PersonCount as PersonCount, persons_query as persons_query
    from snapdp.studies.statistics.registry import KINDS as KINDS, statistic_class as statistic_class
    from snapdp.studies.statistics.statistic import Statistic as Statistic
    from snapdp.studies.statistics.sum import ColumnSum as ColumnSum, sum_query as sum_query
    from snapdp.studies.statistics.variance import Variance as Variance, variance_query as variance_query
    from snapdp.studies.toml_table import placed as placed
    from snapdp.studies.units import (
        Person as Person,
        bounded_in as bounded_in,
        bounded_unit as bounded_unit,
        named_person as named_person,
        person_in as person_in,
        person_names as person_names,
        person_unit as person_unit,
        rows_unit as rows_unit,
        stated_person as stated_person,
    )
    from snapdp.studies.writer import (
        quoted_text as quoted_text,
        relation_table as relation_table,
        study_to_toml as study_to_toml,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "aggregates": (
                "Aggregate Aggregates Bins Categories Count LevelCounts Levels Member People Persons Present Products "
                "Sum Test"
            ),
            "grouping.bins": "BinnedColumn binned",
            "categories": (
                "BOOLEAN BOOLEAN_WORDS DATE FALSE_WORD ISO_DATE KIND_KEYS ONE PLAIN_NUMBER TRUE_WORD ZERO "
                "BooleanColumn DateColumn boolean_column date_column place_of"
            ),
            "columns": (
                "AS_NUMBERS AS_TEXT BINNED CATEGORY DEFAULT_LEVELS DROPPED INLINE INTEGER MIDDLE NUMBER PERSON "
                "CategoryColumn Column NumberColumn PersonColumn category_column integer_column number_column storable "
            ),
            "comparisons": "compared",
            "conditions": "Condition condition",
            "csv_dialect": "ENCODINGS CsvDialect dialect_from dialect_words is_text stated_dialect",
            "declarations": "Unlisted column_from condition_from digest groups_from stated_groups stated_levels",
            "grouping.groups": "By CrossedLabels GroupColumn Groups groups_of label_columns",
            "grouping.keys": (
                "KEY KEY_NUMBER LONGEST_KEY MOST_KEYS KeyColumn KeyFile KeyLabels KeyReader KeyedGroups Keys "
                "digest_of_keys key_line keyed_groups keys_of"
            ),
            "statistics.margin_figures": "CellError MarginFigures",
            "grouping.hierarchies": "Hierarchy MOST_NODES hierarchy_of",
            "grouping.parents": "with_parents",
            "grouping.margins": "ALL HIERARCHY Margin Margins WIDER margin_text",
            "magnitudes": "MAGNITUDE MagnitudeColumn magnitude_column",
            "periods": "DAY EACH MONTH YEAR",
            "plans.asked": "Asked ask",
            "plans.cliffs": "cliff_in_words cliffs_of",
            "plans.cuts": "Excess excess_of",
            "plans.lines": "Line planned",
            "plans.offers": "UNADJUSTED Offer offer_in_words",
            "plans.part_worth": "curve_of_part part_accuracy",
            "plans.plan": "Plan",
            "plans.reading": "reading_of",
            "plans.released_part": "RankCurve ReleasedPart shown_parts",
            "plans.remembered": "remembered",
            "plans.remarks": "called_groups part_names",
            "plans.sharing": "Sharing",
            "plans.table": "error_in_words",
            "plans.usefulness": "Useless useless_lines",
            "plans.variance_ways": "OtherWay other_way",
            "plans.words": "IN_PYTHON PlanWords Spelling details_of plan_words useless_in_words",
            "statistics.number_errors": "NumberError",
            "quantiser": "DOUBLE NARROW Quantiser quantiser_of",
            "ranks.rank_figures": "LikelyQuantile RANGES_WITHIN_RANGES RankFigures",
            "readable": "BETWEEN Label key_text label_text readable_cell readable_keys readable_number readable_title "
            "told_apart",
            "protection": (
                "COUNTED ROWS_LEFT_OUT describe_chance describe_most_units describe_protected describe_rise "
                "explain_other_unit explain_protection groups_clause person_in_words rows_clause "
                "unit_in_words unit_noun unit_nouns"
            ),
            "reader": (
                "STUDY_KEYS STUDY_FORMAT DeclaredStudy csv_form keys_beside load_study plan_of study_from_toml "
                "study_from_values"
            ),
            "relation": (
                "ADD_REMOVE CHANGE_ONE Relation add_remove change_one identifier_of identifier_values "
                "relation_of_account whole with_identifiers"
            ),
            "statistics.answers": "Numerators aggregates_of numerators",
            "statistics.centred.means": "derived_mean",
            "statistics.count": "RowCount count_query",
            "statistics.covariance": "Covariance covariance_query",
            "statistics.drawn": "FITS_INT64 MEAN_OF SHARE CellColumns Derived Printed",
            "statistics.histogram": "Histogram histogram_query shares_are_of_n",
            "ranks.magnitudes": "BOUNDS LOWER Magnitudes UPPER WITHOUT magnitudes_query",
            "statistics.mean": "Mean mean_query",
            "statistics.persons": "PersonCount persons_query",
            "ranks.quantiles": "DISTRIBUTION OWN_KEYS QUANTILE QUARTILES Quantiles quantiles_query",
            "statistics.registry": "KINDS statistic_class",
            "statistics.parts": "Numerator Part mechanism",
            "statistics.statistic": "Statistic",
            "statistics.sum": "ColumnSum sum_query",
            "statistics.variance": "Variance variance_query",
            "toml_table": "placed",
            "units": (
                "Person bounded_in bounded_unit named_person person_in person_names person_unit rows_unit stated_person"
            ),
            "writer": "quoted_text relation_table study_to_toml",
        },
    )
