"""How anything is shown: numbers, visible text, addresses without passwords, pictures, the frame of a page."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
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
    from snapdp.display.pictures import (
        Axis as Axis,
        Bar as Bar,
        Chosen as Chosen,
        Compared as Compared,
        LawPicture as LawPicture,
        LogAxis as LogAxis,
        Look as Look,
        Mark as Mark,
        Marked as Marked,
        Odds as Odds,
        Real as Real,
        RowPicture as RowPicture,
        Series as Series,
        Step as Step,
        box as box,
        curve_picture as curve_picture,
        dot as dot,
        figure_of as figure_of,
        framed as framed,
        inside as inside,
        interval_picture as interval_picture,
        level as level,
        lines_height as lines_height,
        lines_picture as lines_picture,
        odds_picture as odds_picture,
        scale as scale,
        sheet as sheet,
        step_figure as step_figure,
        tick_text as tick_text,
        ticks as ticks,
        together as together,
        upright as upright,
        written as written,
    )
    from snapdp.display.text import (
        ESCAPED as ESCAPED,
        LONGEST_TEXT as LONGEST_TEXT,
        PUBLIC_TEXTS as PUBLIC_TEXTS,
        above_or_below as above_or_below,
        confidence as confidence,
        each_by_itself as each_by_itself,
        encodable as encodable,
        guessed_right as guessed_right,
        hides_nothing as hides_nothing,
        how_often as how_often,
        is_address as is_address,
        is_public_text as is_public_text,
        listed as listed,
        one_line as one_line,
        percent as percent,
        shortened as shortened,
        shown_address as shown_address,
        visible as visible,
        visible_lines as visible_lines,
        without_secrets as without_secrets,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "html": (
                "Html TEXT_STYLE data_table escape folded html_block html_card html_fragment html_page html_table"
            ),
            "numbers": (
                "SURELY_DOUBLES decimal_down decimal_nearest decimal_places decimal_up digits_apart "
                "exact_amount exact_float exact_operand figure four_digits four_digits_up general "
                "noise_digits plain_decimal scientific_up short_decimal six_digits two_digits"
            ),
            "pictures": (
                "Axis Bar Chosen Compared LawPicture LogAxis Look Mark Marked Odds Real RowPicture Series "
                "Step box curve_picture dot figure_of framed inside interval_picture level lines_height "
                "lines_picture odds_picture scale sheet step_figure tick_text ticks together upright written"
            ),
            "text": (
                "ESCAPED LONGEST_TEXT PUBLIC_TEXTS above_or_below confidence each_by_itself encodable "
                "guessed_right hides_nothing how_often is_address is_public_text listed one_line percent "
                "shortened shown_address visible visible_lines without_secrets"
            ),
        },
    )
