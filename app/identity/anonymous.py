"""Readers who are known by a signed cookie alone: the default where nobody signs in. Not a session, not a sign-on.

The cookie holds a random id and the time it was issued, readable, signed; it gives access to one reader's own
conversations and to nothing else. Forged, garbled or doubled, it makes a new reader and never an error.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, Literal

from itsdangerous import BadSignature, Signer

from app.domain.users import Role, User
from app.identity.authenticator import Admission, Credentials

COOKIE: Final = "footnote_reader"
LIFETIME: Final = 365 * 24 * 3600  # seconds
RENEWAL: Final = 30 * 24 * 3600  # an older cookie is issued again, so that whoever comes back stays known

_VERSION = "1"  # of the cookie's form; another one is another signature
_VALUE = re.compile(r"([0-9a-f]{32})\.([0-9]{1,12})")
_FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})


@dataclass(frozen=True, slots=True)
class CookieAttributes:
    """How the cookie is to be set. The names are those of Starlette's `set_cookie`."""

    max_age: int
    path: str
    secure: bool
    httponly: bool = True
    samesite: Literal["lax"] = "lax"


def cookie_attributes(*, secure: bool, root_path: str) -> CookieAttributes:
    """`secure` only where the public address is https: over plain http a browser would drop the cookie."""
    return CookieAttributes(max_age=LIFETIME, path=root_path or "/", secure=secure)


class AnonymousReaders:
    """Everybody is admitted, each as a reader of their own.

    `operator_on_loopback`: whoever asks from this machine, by a local name and past no proxy, is its operator.
    `secure`: the public address is https; then the cookie's name has the prefix that plain http cannot set.
    """

    def __init__(
        self, secret: str, *, operator_on_loopback: bool, secure: bool, now: Callable[[], float] = time.time
    ) -> None:
        self._signer = Signer(secret, salt=f"footnote.reader.{_VERSION}", sep="~", digest_method=hashlib.sha256)
        self._operator_on_loopback = operator_on_loopback
        self._cookie = f"__Secure-{COOKIE}" if secure else COOKIE
        self._now = now

    async def authenticate(self, credentials: Credentials) -> Admission:
        known = self._known(credentials)
        identity, issued = known or (secrets.token_hex(16), None)
        role = Role.OPERATOR if self._operator_on_loopback and _is_local(credentials) else Role.READER
        user = User(id=identity, role=role)
        if issued is not None and self._now() - issued < RENEWAL:
            return Admission(user)
        return Admission(user, (self._cookie, self._issue(identity)))

    def _known(self, credentials: Credentials) -> tuple[str, int] | None:
        """The id in a cookie of ours and the time it was issued; a clock set back makes no cookie invalid."""
        value = credentials.cookies.get(self._cookie, "")
        if not value or len(value) > 200 or _times_sent(credentials, self._cookie) > 1:
            return None
        try:
            found = _VALUE.fullmatch(self._signer.unsign(value.encode("latin-1", "replace")).decode("latin-1"))
        except BadSignature:
            return None
        if found is None or self._now() - int(found.group(2)) > LIFETIME:
            return None
        return found.group(1), int(found.group(2))

    def _issue(self, identity: str) -> str:
        return self._signer.sign(f"{identity}.{int(self._now())}").decode("ascii")


def _times_sent(credentials: Credentials, cookie: str) -> int:
    """How often the browser sent the cookie: a second one was planted, by a neighbour under the same domain."""
    pairs = (pair for name, value in credentials.headers if name == "cookie" for pair in value.split(";"))
    return sum(pair.partition("=")[0].strip() == cookie for pair in pairs)


def _is_local(credentials: Credentials) -> bool:
    """From this machine itself: not through a proxy on it, and not by a foreign name that was led here."""
    hosts = [value for name, value in credentials.headers if name == "host"]
    if credentials.peer is None or len(hosts) != 1 or any(name in _FORWARDED for name, _ in credentials.headers):
        return False
    return _is_loopback(credentials.peer) and _is_local_name(hosts[0])


def _is_local_name(host: str) -> bool:
    name = re.sub(r":[0-9]*\Z", "", host.lower())
    return f".{name}".endswith(".localhost") or _is_loopback(name.removeprefix("[").removesuffix("]"))


def _is_loopback(address: str) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return found.is_loopback or (mapped is not None and mapped.is_loopback)
