"""The one address: its token is used once, by whoever has all of it, and nothing else uses it up."""

from __future__ import annotations

from threading import Barrier, Thread
from urllib.parse import quote

import pytest

from snapdp.web.gate import Tokens
from tests.unit.web.pages import COOKIE, Page


def entered(page: Page, token: str, **how: object):
    return page.read(f"/start?token={quote(token)}", **{"cookie": None, **how})


def test_the_token_is_exchanged_for_a_cookie_by_a_page_that_moves_on(new_page):
    answer = entered(new_page, new_page.tokens.token)
    assert answer.status == 200
    assert '<script type="module" src="/static/enter.js">' in answer.text
    assert f'data-secret="{new_page.tokens.entry.secret}"' in answer.text
    cookie = {part.strip().lower() for part in (answer.header("set-cookie") or "").split(";")[1:]}
    assert cookie == {"httponly", "samesite=strict", "path=/"}  # of this host alone, for as long as the browser runs
    assert (answer.header("set-cookie") or "").startswith(f"{COOKIE}={new_page.tokens.entry.session};")
    assert new_page.tokens.entry.session not in answer.text


def test_a_token_opens_the_page_once(new_page):
    token = new_page.tokens.token
    assert entered(new_page, token).status == 200
    again = entered(new_page, token)
    assert (again.status, again.header("set-cookie")) == (403, None)
    assert "Press Enter in the terminal" in again.text


def test_whoever_is_in_already_may_use_the_address_again(new_page):
    token = new_page.tokens.token
    assert entered(new_page, token).status == 200
    again = entered(new_page, token, cookie=f"{COOKIE}={new_page.tokens.entry.session}")
    assert (again.status, again.header("set-cookie")) == (200, None)
    assert 'data-secret=""' in again.text  # a cookie alone is not given the secret


@pytest.mark.parametrize(
    "guess",
    ["", "guess", "{}x", "x{}", "{} ", " {}", "{}\0", "{}\n", "é", "\ud800", "a" * 100_000, "{0}{0}", "%", "null"],
)
def test_a_guess_opens_nothing_and_uses_nothing_up(new_page, guess):
    token = new_page.tokens.token
    told = quote(guess.format(token), errors="surrogatepass")
    assert new_page.read(f"/start?token={told}", cookie=None).status == 403
    for part in (token[:-1], token[1:], token.swapcase(), token[:1]):
        assert entered(new_page, part).status == 403
    assert entered(new_page, token).status == 200


def test_a_token_that_is_given_twice_or_under_another_name_opens_nothing(new_page):
    token = new_page.tokens.token
    for query in (f"token=guess&token=guess2&x={token}", f"Token={token}", f"token[]={token}", ""):
        assert new_page.read(f"/start?{query}", cookie=None).status == 403
    assert new_page.tokens.token == token


def test_neither_a_question_for_headers_nor_a_write_uses_the_token_up(new_page):
    token = new_page.tokens.token
    for method in ("HEAD", "OPTIONS", "POST"):
        assert new_page.ask(method, f"/start?token={token}", cookie=None).status in (403, 405)
    assert new_page.tokens.token == token
    assert entered(new_page, token).status == 200


def test_a_used_token_is_followed_by_another_which_ends_what_was_before():
    tokens = Tokens()
    first = tokens.token
    assert tokens.token == first
    one = tokens.exchanged(first)
    second = tokens.token
    assert second != first
    assert tokens.exchanged(first) is None
    assert tokens.opens(one.session)
    assert tokens.asks(one.secret)
    two = tokens.exchanged(second)
    assert not tokens.opens(one.session)
    assert not tokens.asks(one.secret)
    assert len({first, second, *one, *two}) == 6
    assert min(map(len, (first, second, *one, *two))) >= 43  # 256 bits in 64 letters


def test_of_many_who_come_at_once_one_comes_in():
    tokens, start, came = Tokens(), Barrier(16), []
    token = tokens.token

    def come() -> None:
        start.wait()
        came.append(tokens.exchanged(token))

    crowd = [Thread(target=come) for _ in range(16)]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()
    assert sorted(each is not None for each in came) == [False] * 15 + [True]
