"""Readers who are known by a cookie alone."""

import pytest

from app.domain.users import Role, User
from app.identity.anonymous import COOKIE, LIFETIME, RENEWAL, AnonymousReaders, cookie_attributes
from app.identity.authenticator import Credentials

SECRET = "0123456789abcdef0123456789abcdef"
FAR = "203.0.113.9"
DAY = 24 * 3600.0


class Clock:
    def __init__(self, now: float = 1_790_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def readers(clock: Clock | None = None, *, secret: str = SECRET, secure: bool = False) -> AnonymousReaders:
    return AnonymousReaders(secret, operator_on_loopback=True, secure=secure, now=clock or Clock())


def sent(*values: str, peer: str | None = FAR, host: str = "ask.example", name: str = COOKIE) -> Credentials:
    pairs = "; ".join(f"{name}={value}" for value in values)
    headers = [("host", host), *([("cookie", pairs)] if values else [])]
    return Credentials(peer, headers, {name: values[-1]} if values else {})


async def cookie_of(authenticator: AnonymousReaders) -> tuple[User, str]:
    admission = await authenticator.authenticate(sent())
    assert admission.cookie is not None
    return admission.user, admission.cookie[1]


async def test_a_fresh_cookie_is_not_sent_again() -> None:
    user, cookie = await cookie_of(readers())
    admission = await readers().authenticate(sent(cookie))
    assert admission.user == user
    assert admission.cookie is None


async def test_an_old_cookie_is_renewed_and_its_reader_stays() -> None:
    clock = Clock()
    user, cookie = await cookie_of(readers(clock))
    clock.now += RENEWAL + 1
    admission = await readers(clock).authenticate(sent(cookie))
    assert admission.user == user
    assert admission.cookie is not None
    assert admission.cookie[1] != cookie


async def test_after_a_year_away_a_reader_is_new() -> None:
    clock = Clock()
    user, cookie = await cookie_of(readers(clock))
    clock.now += LIFETIME + DAY
    assert (await readers(clock).authenticate(sent(cookie))).user != user


async def test_a_clock_set_back_takes_nobodys_conversations_away() -> None:
    clock = Clock()
    user, cookie = await cookie_of(readers(clock))
    clock.now -= 400 * DAY
    assert (await readers(clock).authenticate(sent(cookie))).user == user


async def test_a_cookie_of_another_key_makes_a_new_reader() -> None:
    user, cookie = await cookie_of(readers(secret="f" * 32))
    admission = await readers().authenticate(sent(cookie))
    assert admission.user.id != user.id
    assert admission.cookie is not None


@pytest.mark.parametrize(
    "garbled",
    [
        "",
        "~",
        "x",
        "a" * 100_000,
        "ü~ß",
        "\u2028",
        "0" * 32 + ".1790000000~",
        "0" * 32 + ".1790000000~AAAA",
        "../../etc/passwd",
        "\x00",
        "%00",
        '"quoted"',
        "\ud800",
    ],
)
async def test_a_garbled_cookie_makes_a_new_reader_and_no_error(garbled: str) -> None:
    admission = await readers().authenticate(sent(garbled))
    assert len(admission.user.id) == 32
    assert admission.cookie is not None


async def test_every_change_of_a_cookie_breaks_it() -> None:
    user, cookie = await cookie_of(readers())
    for place, sign in enumerate(cookie[:-1]):  # the last sign of base64 holds unused bits
        changed = cookie[:place] + ("0" if sign != "0" else "1") + cookie[place + 1 :]
        assert (await readers().authenticate(sent(changed))).user != user, changed


async def test_a_planted_second_cookie_makes_a_new_reader() -> None:
    mine, cookie = await cookie_of(readers())
    theirs, planted = await cookie_of(readers())
    for both in ((cookie, planted), (planted, cookie), (cookie, cookie)):
        assert (await readers().authenticate(sent(*both))).user.id not in (mine.id, theirs.id)


async def test_other_cookies_do_not_count_as_a_second_one() -> None:
    user, cookie = await cookie_of(readers())
    headers = [("host", "ask.example"), ("cookie", f"x{COOKIE}=1; {COOKIE}={cookie}; theme={COOKIE}")]
    admission = await readers().authenticate(Credentials(FAR, headers, {COOKIE: cookie}))
    assert admission.user == user


async def test_behind_https_the_name_is_one_that_plain_http_cannot_set() -> None:
    admission = await readers(secure=True).authenticate(sent())
    assert admission.cookie is not None
    assert admission.cookie[0] == f"__Secure-{COOKIE}"


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST", "ask.localhost"])
async def test_the_person_at_the_machine_is_operator(peer: str, host: str) -> None:
    assert (await readers().authenticate(sent(peer=peer, host=host))).user.role is Role.OPERATOR


@pytest.mark.parametrize(
    ("peer", "host", "more"),
    [
        (FAR, "localhost", ()),
        (None, "localhost", ()),
        ("not an address", "localhost", ()),
        ("127.0.0.1", "ask.example", ()),  # a proxy on this machine, or a name led here
        ("127.0.0.1", "localhost.evil.example", ()),
        ("127.0.0.1", "evil-localhost", ()),
        ("127.0.0.1", "127.0.0.1.evil.example", ()),
        ("127.0.0.1", "", ()),
        ("127.0.0.1", "localhost", (("x-forwarded-for", "203.0.113.9"),)),
        ("127.0.0.1", "localhost", (("forwarded", "for=203.0.113.9"),)),
        ("127.0.0.1", "localhost", (("via", "1.1 proxy"),)),
        ("127.0.0.1", "localhost", (("host", "localhost"),)),
    ],
)
async def test_nobody_else_is(peer: str | None, host: str, more: tuple[tuple[str, str], ...]) -> None:
    asked = sent(peer=peer, host=host)
    admission = await readers().authenticate(Credentials(asked.peer, [*asked.headers, *more], asked.cookies))
    assert admission.user.role is Role.READER


async def test_the_operator_is_a_reader_where_the_setting_says_so() -> None:
    shut = AnonymousReaders(SECRET, operator_on_loopback=False, secure=False)
    assert (await shut.authenticate(sent(peer="127.0.0.1", host="localhost"))).user.role is Role.READER


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites() -> None:
    attributes = cookie_attributes(secure=True, root_path="/ask")
    assert (attributes.httponly, attributes.samesite, attributes.secure) == (True, "lax", True)
    assert attributes.path == "/ask"
    assert cookie_attributes(secure=False, root_path="").path == "/"
