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
        DAY as DAY,
        EACH as EACH,
        FALSE_WORD as FALSE_WORD,
        ISO_DATE as ISO_DATE,
        KIND_KEYS as KIND_KEYS,
        MONTH as MONTH,
        ONE as ONE,
        PLAIN_NUMBER as PLAIN_NUMBER,
        TRUE_WORD as TRUE_WORD,
        YEAR as YEAR,
        ZERO as ZERO,
        BooleanColumn as BooleanColumn,
        DateColumn as DateColumn,
        boolean_column as boolean_column,
        compared as compared,
        date_column as date_column,
        place_of as place_of,
        with_parents as with_parents,
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
        MAGNITUDE as MAGNITUDE,
        MIDDLE as MIDDLE,
        NUMBER as NUMBER,
        PERSON as PERSON,
        CategoryColumn as CategoryColumn,
        Column as Column,
        MagnitudeColumn as MagnitudeColumn,
        NumberColumn as NumberColumn,
        PersonColumn as PersonColumn,
        category_column as category_column,
        integer_column as integer_column,
        magnitude_column as magnitude_column,
        number_column as number_column,
        storable as storable,
    )
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
    from snapdp.studies.grouping.groups import (
        BinnedColumn as BinnedColumn,
        By as By,
        CrossedLabels as CrossedLabels,
        GroupColumn as GroupColumn,
        Groups as Groups,
        binned as binned,
        groups_of as groups_of,
        label_columns as label_columns,
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
        MOST_NODES as MOST_NODES,
        WIDER as WIDER,
        Hierarchy as Hierarchy,
        Margin as Margin,
        Margins as Margins,
        hierarchy_of as hierarchy_of,
        margin_text as margin_text,
    )
    from snapdp.studies.labels import (
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
    from snapdp.studies.plans.advice import (
        UNADJUSTED as UNADJUSTED,
        Offer as Offer,
        OtherWay as OtherWay,
        Useless as Useless,
        cliff_in_words as cliff_in_words,
        cliffs_of as cliffs_of,
        offer_in_words as offer_in_words,
        other_way as other_way,
        useless_lines as useless_lines,
    )
    from snapdp.studies.plans.lines import (
        Asked as Asked,
        Line as Line,
        RankCurve as RankCurve,
        ReleasedPart as ReleasedPart,
        ask as ask,
        called_groups as called_groups,
        curve_of_part as curve_of_part,
        part_accuracy as part_accuracy,
        part_names as part_names,
        planned as planned,
        remembered as remembered,
        shown_parts as shown_parts,
    )
    from snapdp.studies.plans.plan import Excess as Excess, Plan as Plan, Sharing as Sharing, excess_of as excess_of
    from snapdp.studies.plans.text import (
        IN_PYTHON as IN_PYTHON,
        PlanWords as PlanWords,
        Spelling as Spelling,
        details_of as details_of,
        error_in_words as error_in_words,
        plan_words as plan_words,
        reading_of as reading_of,
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
    from snapdp.studies.relation import (
        ADD_REMOVE as ADD_REMOVE,
        CHANGE_ONE as CHANGE_ONE,
        Person as Person,
        Relation as Relation,
        add_remove as add_remove,
        bounded_in as bounded_in,
        bounded_unit as bounded_unit,
        change_one as change_one,
        identifier_of as identifier_of,
        identifier_values as identifier_values,
        named_person as named_person,
        person_in as person_in,
        person_names as person_names,
        person_unit as person_unit,
        relation_of_account as relation_of_account,
        rows_unit as rows_unit,
        stated_person as stated_person,
        whole as whole,
        with_identifiers as with_identifiers,
    )
    from snapdp.studies.statistics.adjusted import CellError as CellError, MarginFigures as MarginFigures
    from snapdp.studies.statistics.centred import derived_mean as derived_mean
    from snapdp.studies.statistics.counts import (
        PersonCount as PersonCount,
        RowCount as RowCount,
        count_query as count_query,
        persons_query as persons_query,
    )
    from snapdp.studies.statistics.covariance import Covariance as Covariance, covariance_query as covariance_query
    from snapdp.studies.statistics.histogram import (
        Histogram as Histogram,
        histogram_query as histogram_query,
        shares_are_of_n as shares_are_of_n,
    )
    from snapdp.studies.statistics.magnitudes import (
        BOUNDS as BOUNDS,
        LOWER as LOWER,
        UPPER as UPPER,
        WITHOUT as WITHOUT,
        Magnitudes as Magnitudes,
        magnitudes_query as magnitudes_query,
    )
    from snapdp.studies.statistics.mean import Mean as Mean, mean_query as mean_query
    from snapdp.studies.statistics.parts import (
        FITS_INT64 as FITS_INT64,
        MEAN_OF as MEAN_OF,
        SHARE as SHARE,
        CellColumns as CellColumns,
        Derived as Derived,
        NumberError as NumberError,
        Numerator as Numerator,
        Part as Part,
        Printed as Printed,
        mechanism as mechanism,
    )
    from snapdp.studies.statistics.quantiles import (
        DISTRIBUTION as DISTRIBUTION,
        OWN_KEYS as OWN_KEYS,
        QUANTILE as QUANTILE,
        QUARTILES as QUARTILES,
        Quantiles as Quantiles,
        quantiles_query as quantiles_query,
    )
    from snapdp.studies.statistics.registry import KINDS as KINDS, statistic_class as statistic_class
    from snapdp.studies.statistics.statistic import (
        Numerators as Numerators,
        Statistic as Statistic,
        aggregates_of as aggregates_of,
        numerators as numerators,
    )
    from snapdp.studies.statistics.sum import ColumnSum as ColumnSum, sum_query as sum_query
    from snapdp.studies.statistics.trees import (
        RANGES_WITHIN_RANGES as RANGES_WITHIN_RANGES,
        LikelyQuantile as LikelyQuantile,
        RankFigures as RankFigures,
    )
    from snapdp.studies.statistics.variance import Variance as Variance, variance_query as variance_query
    from snapdp.studies.study_file import (
        STUDY_FORMAT as STUDY_FORMAT,
        STUDY_KEYS as STUDY_KEYS,
        DeclaredStudy as DeclaredStudy,
        csv_form as csv_form,
        keys_beside as keys_beside,
        load_study as load_study,
        plan_of as plan_of,
        quoted_text as quoted_text,
        relation_table as relation_table,
        study_from_toml as study_from_toml,
        study_from_values as study_from_values,
        study_to_toml as study_to_toml,
    )
    from snapdp.studies.toml import placed as placed
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "aggregates": (
                "Aggregate Aggregates Bins Categories Count LevelCounts Levels Member People Persons Present "
                "Products Sum Test"
            ),
            "categories": (
                "BOOLEAN BOOLEAN_WORDS BooleanColumn DATE DAY DateColumn EACH FALSE_WORD ISO_DATE KIND_KEYS "
                "MONTH ONE PLAIN_NUMBER TRUE_WORD YEAR ZERO boolean_column compared date_column place_of "
                "with_parents"
            ),
            "columns": (
                "AS_NUMBERS AS_TEXT BINNED CATEGORY CategoryColumn Column DEFAULT_LEVELS DROPPED INLINE "
                "INTEGER MAGNITUDE MIDDLE MagnitudeColumn NUMBER NumberColumn PERSON PersonColumn "
                "category_column integer_column magnitude_column number_column storable"
            ),
            "conditions": "Condition condition",
            "csv_dialect": "CsvDialect ENCODINGS dialect_from dialect_words is_text stated_dialect",
            "declarations": "Unlisted column_from condition_from digest groups_from stated_groups stated_levels",
            "grouping.groups": "BinnedColumn By CrossedLabels GroupColumn Groups binned groups_of label_columns",
            "grouping.keys": (
                "KEY KEY_NUMBER KeyColumn KeyFile KeyLabels KeyReader KeyedGroups Keys LONGEST_KEY MOST_KEYS "
                "digest_of_keys key_line keyed_groups keys_of"
            ),
            "grouping.margins": "ALL HIERARCHY Hierarchy MOST_NODES Margin Margins WIDER hierarchy_of margin_text",
            "labels": (
                "BETWEEN Label key_text label_text readable_cell readable_keys readable_number readable_title "
                "told_apart"
            ),
            "plans.advice": (
                "Offer OtherWay UNADJUSTED Useless cliff_in_words cliffs_of offer_in_words other_way useless_lines"
            ),
            "plans.lines": (
                "Asked Line RankCurve ReleasedPart ask called_groups curve_of_part part_accuracy part_names "
                "planned remembered shown_parts"
            ),
            "plans.plan": "Excess Plan Sharing excess_of",
            "plans.text": (
                "IN_PYTHON PlanWords Spelling details_of error_in_words plan_words reading_of useless_in_words"
            ),
            "protection": (
                "COUNTED ROWS_LEFT_OUT describe_chance describe_most_units describe_protected describe_rise "
                "explain_other_unit explain_protection groups_clause person_in_words rows_clause "
                "unit_in_words unit_noun unit_nouns"
            ),
            "quantiser": "DOUBLE NARROW Quantiser quantiser_of",
            "relation": (
                "ADD_REMOVE CHANGE_ONE Person Relation add_remove bounded_in bounded_unit change_one "
                "identifier_of identifier_values named_person person_in person_names person_unit "
                "relation_of_account rows_unit stated_person whole with_identifiers"
            ),
            "statistics.adjusted": "CellError MarginFigures",
            "statistics.centred": "derived_mean",
            "statistics.counts": "PersonCount RowCount count_query persons_query",
            "statistics.covariance": "Covariance covariance_query",
            "statistics.histogram": "Histogram histogram_query shares_are_of_n",
            "statistics.magnitudes": "BOUNDS LOWER Magnitudes UPPER WITHOUT magnitudes_query",
            "statistics.mean": "Mean mean_query",
            "statistics.parts": (
                "CellColumns Derived FITS_INT64 MEAN_OF NumberError Numerator Part Printed SHARE mechanism"
            ),
            "statistics.quantiles": "DISTRIBUTION OWN_KEYS QUANTILE QUARTILES Quantiles quantiles_query",
            "statistics.registry": "KINDS statistic_class",
            "statistics.statistic": "Numerators Statistic aggregates_of numerators",
            "statistics.sum": "ColumnSum sum_query",
            "statistics.trees": "LikelyQuantile RANGES_WITHIN_RANGES RankFigures",
            "statistics.variance": "Variance variance_query",
            "study_file": (
                "DeclaredStudy STUDY_FORMAT STUDY_KEYS csv_form keys_beside load_study plan_of quoted_text "
                "relation_table study_from_toml study_from_values study_to_toml"
            ),
            "toml": "placed",
        },
    )
