"""Rows to exact integers: one SQL text, sources, engines. The only room that reads data files."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.tables.engine_names import ENGINES as ENGINES
    from snapdp.tables.engines.engine import Engine as Engine, Watch as Watch, statement as statement
    from snapdp.tables.engines.opening import (
        StoredColumn as StoredColumn,
        check_columns as check_columns,
        check_dialect as check_dialect,
        is_csv as is_csv,
        is_readable as is_readable,
        may_be_cells as may_be_cells,
        open_table as open_table,
        stored_columns as stored_columns,
    )
    from snapdp.tables.inspection import Look as Look
    from snapdp.tables.keys import digest_of_selected as digest_of_selected, read_keys as read_keys
    from snapdp.tables.means import public_means as public_means
    from snapdp.tables.sources.csv import may_be_cell as may_be_cell
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "engine_names": "ENGINES",
            "engines.engine": "Engine Watch statement",
            "engines.opening": (
                "StoredColumn check_columns check_dialect is_csv is_readable may_be_cells open_table stored_columns"
            ),
            "inspection": "Look",
            "keys": "digest_of_selected read_keys",
            "means": "public_means",
            "sources.csv": "may_be_cell",
        },
    )
