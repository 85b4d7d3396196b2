"""Releases: the only room where private integers, random bits and the ledger meet."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.release.data_package import place_of as place_of
    from snapdp.release.draw import (
        Block as Block,
        Drawn as Drawn,
        PagedBlock as PagedBlock,
        derived_blocks as derived_blocks,
    )
    from snapdp.release.files import (
        FIELDS as FIELDS,
        TEXT as TEXT,
        SideFileColumns as SideFileColumns,
        block_numbers as block_numbers,
        digest_of as digest_of,
        side_file as side_file,
        write_text as write_text,
    )
    from snapdp.release.numbers import (
        Crossed as Crossed,
        Number as Number,
        NumberBlock as NumberBlock,
        crossed as crossed,
        shown_amount as shown_amount,
        shown_row as shown_row,
    )
    from snapdp.release.record import (
        LIBRARIES as LIBRARIES,
        RECORD_FORMAT as RECORD_FORMAT,
        VERSION as VERSION,
        SideFile as SideFile,
        checked as checked,
        derived_values as derived_values,
        part_values as part_values,
    )
    from snapdp.release.release import exact_values as exact_values, holds_look as holds_look, released as released
    from snapdp.release.remarks import (
        bound_lines as bound_lines,
        bounds_from_line as bounds_from_line,
        complete_lines as complete_lines,
        cut_line as cut_line,
        declared_clauses as declared_clauses,
        distribution_line as distribution_line,
        margins_line as margins_line,
        moved_line as moved_line,
        person_lines as person_lines,
        relation_stated as relation_stated,
        remarks_on as remarks_on,
        step_lines as step_lines,
        unknown_line as unknown_line,
        unknown_places as unknown_places,
        wide_lines as wide_lines,
    )
    from snapdp.release.report.page import (
        report_body as report_body,
        report_page as report_page,
        snapdp_version as snapdp_version,
        stated_versions as stated_versions,
    )
    from snapdp.release.request import (
        MOST_STATISTICS as MOST_STATISTICS,
        Request as Request,
        added as added,
    )
    from snapdp.release.result import (
        Release as Release,
        load_record as load_record,
        load_release as load_release,
        record_from as record_from,
    )
    from snapdp.release.value_table import key_columns as key_columns
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "data_package": "place_of",
            "draw": "Block Drawn PagedBlock derived_blocks",
            "files": "FIELDS SideFileColumns TEXT block_numbers digest_of side_file write_text",
            "numbers": "Crossed Number NumberBlock crossed shown_amount shown_row",
            "record": "LIBRARIES RECORD_FORMAT SideFile VERSION checked derived_values part_values",
            "release": "exact_values holds_look released",
            "remarks": (
                "bound_lines bounds_from_line complete_lines cut_line declared_clauses distribution_line "
                "margins_line moved_line person_lines relation_stated remarks_on step_lines unknown_line "
                "unknown_places wide_lines"
            ),
            "report.page": "report_body report_page snapdp_version stated_versions",
            "request": "MOST_STATISTICS Request added",
            "result": "Release load_record load_release record_from",
            "value_table": "key_columns",
        },
    )
