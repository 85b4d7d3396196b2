"""Text from outside: visible, encodable, without passwords; ordinary text stays as it is."""

from __future__ import annotations

import math
import unicodedata
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from snapdp.display.text import (
    confidence,
    encodable,
    guessed_right,
    hides_nothing,
    listed,
    shortened,
    shown_address,
    visible,
    visible_lines,
    without_secrets,
)

ANY = st.text(st.characters(), max_size=40)  # lone surrogates too
ENCODINGS = ["ascii", "cp1252", "latin-1", "cp437", "koi8-r", "utf-8", "utf-16", "shift_jis"]


@given(ANY)
@example("\x1b[2J\x1b]0;SOUND\x07")
@example("\u202eDNUOS\u2066\u200b\u00ad\ufeff\x9b31m\u2028\x85")
@example("\ud800\U000e0041\u3164\ufe0f\u2800\u034f")
def test_nothing_unseen_or_obeyed_is_left(text):
    shown = visible(text)
    assert not {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} & set(map(unicodedata.category, shown))
    assert not set(shown) & set("\u3164\ufe0f\u2800\u034f\u115f\uffa0")
    assert visible(shown) == shown


@given(st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="\u115f\u1160\u3164\uffa0\u2800")))
def test_ordinary_text_stays_as_it_is(text):
    assert visible(text) == text


@given(ANY, st.sampled_from(ENCODINGS))
def test_whatever_is_visible_can_be_written_in_any_encoding(text, encoding):
    shown = encodable(visible(text), encoding)
    assert encodable(shown, encoding) == shown
    assert shown.encode(encoding).decode(encoding) == shown


def test_signs_that_snapdp_prints_have_plain_ones_to_stand_for_them():
    assert encodable("± 3 ██▍", "ascii") == "+- 3 ##-"
    assert encodable("± 3 ██▍", "cp1252") == "± 3 ##-"
    assert encodable("± 3 ██▍", "utf-8") == "± 3 ██▍"
    assert encodable("± é", "no such encoding") == encodable("± é", None) == "+- \\xe9"


def test_lines_stay_lines_and_long_texts_are_cut():
    assert visible_lines("a\nb\x1bc\n") == "a\nb\\x1bc\n"
    assert visible("a\nb\tc\r") == "a\\nb\\tc\\r"
    assert shortened("x" * 500) == "x" * 197 + "..."
    assert shortened("x" * 200) == "x" * 200


SECRET = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="&"), min_size=1, max_size=12
)


@given(SECRET)
@example("p@ss")
@example("p/q")
@example("p?q#r:s")
@example("p w' x")
@example("%40%2F")
def test_no_password_of_an_address_is_shown_whatever_it_is_made_of(word):
    secret = f"S3CR{word}3T"
    for address in (
        f"postgresql://ann:{secret}@db:5432/people?sslmode=require",
        f"POSTGRES://ann:{secret}@db/people",
        f"postgresql+psycopg://ann%3A{secret}@db/people",
        f"studies/postgresql:/ann:{secret}@db/people",  # what a path makes of it
        f"postgresql://db/people?user=ann&password={secret}",
        f"postgresql://db/people?p%61ssword={secret}&user=ann",
        f"postgresql://db/people?sslpassword={secret}",
    ):
        shown = shown_address(address)
        assert "3T" not in shown
        assert "S3CR" not in shown
        assert "db" in shown
        assert shown_address(shown) == shown


@pytest.mark.parametrize(
    "given_and_shown",
    [
        ("host=db user=ann password=S3CR3T dbname=people", "host=db user=ann password=... dbname=people"),
        ("host=db password='S3 \\' CR3T' user=ann", "host=db password=... user=ann"),
        ("password=S3\\ CR3T host=db", "password=... host=db"),
        ("PASSWORD = S3CR3T", "PASSWORD=..."),
        ("the ledger '/x/host=db password=S3CR3T' is not there.", "the ledger '/x/host=db password=...' is not there."),
        ("service=mine passfile=/home/ann/.pgpass", "service=mine passfile=..."),
        ("postgresql://ann@db/people?service=mine", "postgresql://ann@db/people?service=mine"),
        ("postgresql://@/people?host=/tmp/x", "postgresql://@/people?host=/tmp/x"),
        ("people.ledger", "people.ledger"),
        ("column 'e@mail' is not declared: see a@b", "column 'e@mail' is not declared: see a@b"),
    ],
)
def test_addresses_in_other_forms_and_in_messages(given_and_shown):
    given_text, shown = given_and_shown
    assert without_secrets(given_text) == shown_address(given_text) == shown
    assert without_secrets(shown) == shown


def test_every_filler_is_written_out_and_every_secret_of_an_address_left_out():
    assert visible("a\u115fb\u1160c") == "a\\u115fb\\u1160c"
    for word in ("token", "access_token", "password", "pwd", "secret", "sslkey", "passfile"):
        assert shown_address(f"postgresql://db/x?{word}=S3CR3T&user=ann") == "postgresql://db/x?user=ann"
    two = "postgresql://db/x?token=S3CR3T&password=S3CR3T&user=ann&pwd=S3CR3T"
    assert shown_address(two) == without_secrets(two) == "postgresql://db/x?user=ann"
    assert shown_address("postgresql://ann:S3CR3T@db/x?token=S3CR3T") == "postgresql://ann@db/x"
    assert shown_address("password=S3CR3T host=db sslkey=S3CR3T") == "password=... host=db sslkey=..."


def test_an_epsilon_above_twenty_is_said_to_hide_nothing():
    assert hides_nothing(Fraction(20)) == ""
    assert hides_nothing(Fraction(2001, 100)).startswith("Epsilon 20.01 hides nothing")


def test_an_address_without_slashes_and_a_signed_link_tell_no_secret():
    for text in ("postgresql:ann:s3cret@h/db", "postgres:ann:s3cret@h/db", "https://h/t.csv?sig=s3cret&a=1"):
        assert "s3cret" not in shown_address(text)
        assert "s3cret" not in without_secrets(f"there is no file {text!r}.")
    assert "s3cret" not in shown_address("https://h/t.csv?X-Amz-Signature=s3cret&X-Amz-Credential=s3cret")
    assert without_secrets("Note: write to me@home.") == "Note: write to me@home."


# Numbers in words: what they say is exactly true


@pytest.mark.parametrize("alpha", ["1/20", "1/100", "0.001", "0.5", "0.975", "1e-8", "1e-12", "1/3", "2/7", "1/1024"])
def test_a_confidence_is_one_minus_alpha_exactly(alpha):
    told = confidence(Fraction(alpha))
    one, _, rest = told.partition(" - ")
    said = Fraction(told.removesuffix(" %")) / 100 if told.endswith(" %") else Fraction(one) - Fraction(rest)
    assert said == 1 - Fraction(alpha)


def test_a_confidence_is_in_percent_where_that_is_short():
    assert [confidence(Fraction(each)) for each in ("1/20", "1/100", "1/3", "1e-12")] == [
        "95 %", "99 %", "1 - 1/3", "1 - 1e-12",
    ]  # fmt: skip


def test_names_of_a_sentence_are_all_told_or_counted():
    names = [str(i) for i in range(9)]
    for many in range(1, 10):
        told = listed(names[:many], most=4).replace(" and ", ", ").split(", ")
        left = int(told[-1].removesuffix(" more")) if told[-1].endswith(" more") else 0
        assert len(told) - (left > 0) + left == many
        assert len(told) <= 4


# Guesses in 100 cases: rounded up, and never too few


@pytest.mark.parametrize(
    ("epsilon", "right"),
    [("0", 50), ("1/1000000", 51), ("1/2", 63), ("1", 74), ("2", 89), ("4.595", 99), ("4.596", 100)],
)
def test_cases_are_rounded_up(epsilon, right):
    assert guessed_right(Fraction(epsilon)) == right


def test_an_epsilon_of_any_size_has_an_answer():
    assert guessed_right(Fraction(10) ** 400) == 100
    assert guessed_right(1 / Fraction(10) ** 400) == 51


def test_one_case_fewer_would_be_too_few():
    for hundredths in range(1, 460):
        exactly = 100 / (1 + math.exp(-hundredths / 100))
        assert guessed_right(Fraction(hundredths, 100)) - 1 < exactly <= guessed_right(Fraction(hundredths, 100))
