"""Releases: the only room where private integers, random bits and the ledger meet."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.release.cross_tables import Crossed as Crossed, crossed as crossed
    from snapdp.release.declared_words import declared_clauses as declared_clauses
    from snapdp.release.derived import derived_blocks as derived_blocks
    from snapdp.release.digits import shown_row as shown_row
    from snapdp.release.draw import Block as Block, Drawn as Drawn, PagedBlock as PagedBlock
    from snapdp.release.files import (
        FIELDS as FIELDS,
        block_numbers as block_numbers,
        write_text as write_text,
    )
    from snapdp.release.numbers import (
        Number as Number,
        NumberBlock as NumberBlock,
        shown_amount as shown_amount,
    )
    from snapdp.release.private_values import exact_values as exact_values
    from snapdp.release.record import (
        LIBRARIES as LIBRARIES,
        RECORD_FORMAT as RECORD_FORMAT,
        VERSION as VERSION,
        SideFile as SideFile,
        checked as checked,
        derived_values as derived_values,
        part_values as part_values,
    )
    from snapdp.release.release import holds_look as holds_look, released as released
    from snapdp.release.remarks import (
        bound_lines as bound_lines,
        bounds_from_line as bounds_from_line,
        complete_lines as complete_lines,
        cut_line as cut_line,
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
    from snapdp.release.side_files import (
        TEXT as TEXT,
        SideFileColumns as SideFileColumns,
        digest_of as digest_of,
        side_file as side_file,
    )
    from snapdp.release.tidy.data_package import place_of as place_of
    from snapdp.release.tidy.value_table import key_columns as key_columns
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "cross_tables": "Crossed crossed",
            "declared_words": "declared_clauses",
            "derived": "derived_blocks",
            "digits": "shown_row",
            "draw": "Block Drawn PagedBlock",
            "files": "FIELDS block_numbers write_text",
            "private_values": "exact_values",
            "numbers": "Number NumberBlock shown_amount",
            "record": "LIBRARIES RECORD_FORMAT VERSION SideFile checked derived_values part_values",
            "release": "holds_look released",
            "remarks": "bound_lines bounds_from_line complete_lines cut_line distribution_line "
            "margins_line moved_line person_lines relation_stated remarks_on step_lines unknown_line unknown_places "
            "wide_lines",
            "report.page": "report_body report_page snapdp_version stated_versions",
            "request": "MOST_STATISTICS Request added",
            "result": "Release load_record load_release record_from",
            "side_files": "TEXT SideFileColumns digest_of side_file",
            "tidy.data_package": "place_of",
            "tidy.value_table": "key_columns",
        },
    )
