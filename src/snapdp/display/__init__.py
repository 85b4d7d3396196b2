"""How anything is shown: numbers, visible text, addresses without passwords, pictures, the frame of a page."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.display.addresses import (
        is_address as is_address,
        shown_address as shown_address,
        without_secrets as without_secrets,
    )
    from snapdp.display.html import (
        TEXT_STYLE as TEXT_STYLE,
        Html as Html,
        data_table as data_table,
        escape as escape,
        folded as folded,
        html_block as html_block,
        html_card as html_card,
        html_fragment as html_fragment,
        html_page as html_page,
        html_table as html_table,
    )
    from snapdp.display.numbers import (
        SURELY_DOUBLES as SURELY_DOUBLES,
        decimal_down as decimal_down,
        decimal_nearest as decimal_nearest,
        decimal_places as decimal_places,
        decimal_up as decimal_up,
        digits_apart as digits_apart,
        exact_amount as exact_amount,
        exact_float as exact_float,
        exact_operand as exact_operand,
        figure as figure,
        four_digits as four_digits,
        four_digits_up as four_digits_up,
        general as general,
        noise_digits as noise_digits,
        plain_decimal as plain_decimal,
        scientific_up as scientific_up,
        short_decimal as short_decimal,
        six_digits as six_digits,
        two_digits as two_digits,
    )
    from snapdp.display.odds import guessed_right as guessed_right
    from snapdp.display.pictures.axis import Axis as Axis, Real as Real, tick_text as tick_text, ticks as ticks
    from snapdp.display.pictures.curve import Chosen as Chosen, LogAxis as LogAxis, curve_picture as curve_picture
    from snapdp.display.pictures.frame import (
        Look as Look,
        box as box,
        dot as dot,
        figure_of as figure_of,
        framed as framed,
        inside as inside,
        level as level,
        scale as scale,
        together as together,
        upright as upright,
        written as written,
    )
    from snapdp.display.pictures.intervals import Compared as Compared, interval_picture as interval_picture
    from snapdp.display.pictures.law import Bar as Bar, LawPicture as LawPicture
    from snapdp.display.pictures.lines import (
        Series as Series,
        lines_height as lines_height,
        lines_picture as lines_picture,
    )
    from snapdp.display.pictures.odds import Odds as Odds, odds_picture as odds_picture
    from snapdp.display.pictures.rows import Mark as Mark, RowPicture as RowPicture
    from snapdp.display.pictures.sheet import sheet as sheet
    from snapdp.display.pictures.steps import Marked as Marked, Step as Step, step_figure as step_figure
    from snapdp.display.text import (
        ESCAPED as ESCAPED,
        LONGEST_TEXT as LONGEST_TEXT,
        PUBLIC_TEXTS as PUBLIC_TEXTS,
        encodable as encodable,
        is_public_text as is_public_text,
        one_line as one_line,
        shortened as shortened,
        visible as visible,
        visible_lines as visible_lines,
    )
    from snapdp.display.words import (
        above_or_below as above_or_below,
        confidence as confidence,
        each_by_itself as each_by_itself,
        hides_nothing as hides_nothing,
        how_often as how_often,
        listed as listed,
        percent as percent,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "addresses": "is_address shown_address without_secrets",
            "html": "TEXT_STYLE Html data_table escape folded html_block html_card html_fragment html_page html_table",
            "numbers": (
                "SURELY_DOUBLES decimal_down decimal_nearest decimal_places decimal_up digits_apart exact_amount "
                "exact_float exact_operand "
                "figure four_digits four_digits_up general noise_digits plain_decimal scientific_up short_decimal "
                "six_digits two_digits"
            ),
            "odds": "guessed_right",
            "pictures.axis": "Axis Real tick_text ticks",
            "pictures.curve": "Chosen LogAxis curve_picture",
            "pictures.frame": "Look box dot figure_of framed inside level scale together upright written",
            "pictures.intervals": "Compared interval_picture",
            "pictures.law": "Bar LawPicture",
            "pictures.lines": "Series lines_height lines_picture",
            "pictures.odds": "Odds odds_picture",
            "pictures.rows": "Mark RowPicture",
            "pictures.sheet": "sheet",
            "pictures.steps": "Marked Step step_figure",
            "text": "ESCAPED LONGEST_TEXT PUBLIC_TEXTS encodable one_line is_public_text shortened visible "
            "visible_lines",
            "words": "above_or_below confidence each_by_itself hides_nothing how_often listed percent",
        },
    )
