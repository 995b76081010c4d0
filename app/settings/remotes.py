"""Remote servers as settings name them, and what makes their addresses sound. Not how they are asked."""

from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from app.domain.errors import SettingsError

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
GOOGLE = "developerknowledge.googleapis.com"
SECRET_PARAMETERS = frozenset(("key", "api_key", "apikey", "api-key", "token", "access_token", "secret", "password"))


class RemoteSource(BaseModel):
    """A remote MCP server: one of `[[sources]]` in footnote.toml, or the one that FOOTNOTE_SOURCE_URL names.

    `name` is what citations call it. `answers_a_day` limits `answer_query`; None: as the server itself says.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    url: str
    api_key: SecretStr | None = None
    api_key_file: Path | None = None
    token: SecretStr | None = None
    token_file: Path | None = None
    answers_a_day: int | None = Field(default=None, ge=0)

    @field_validator("url")
    @classmethod
    def _address(cls, value: str) -> str:
        return service_address(value)

    @model_validator(mode="after")
    def _no_secret_in_the_open(self) -> "RemoteSource":
        secret = self.api_key or self.api_key_file or self.token or self.token_file
        if secret and not is_private(self.url):
            raise ValueError("is plain http, and a key would be sent in the open. Use https.")
        return self

    def secret(self, name: Literal["api_key", "token"]) -> str | None:
        """The key or token, from its file where one is named. Raises SettingsError."""
        given: SecretStr | None = getattr(self, name)
        path: Path | None = getattr(self, f"{name}_file")
        if path is not None:
            return fit_for_header(
                read_secret(path, f"sources.{self.name}.{name}_file"), f"sources.{self.name}.{name}_file"
            )
        return fit_for_header(given.get_secret_value(), f"sources.{self.name}.{name}") if given else None

    @property
    def is_google(self) -> bool:
        return urlsplit(self.url).hostname == GOOGLE


def service_address(value: str) -> str:
    """An address of a service as operators give it, checked. Raises ValueError."""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.fragment:
        raise ValueError("is no web address. Give it whole, such as https://example.com/mcp.")
    named = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if parts.username or parts.password or named & SECRET_PARAMETERS:
        raise ValueError("holds a key or password. Give it in its own setting: addresses stand in logs and listings.")
    return value


def fit_for_header(secret: str, setting: str) -> str:
    """The secret, where it can be sent. Raises SettingsError, without showing it."""
    if not secret.isascii() or not secret.isprintable() or secret != secret.strip():
        raise SettingsError(setting, "holds what cannot stand in a header.", "Give it as it was issued, on one line.")
    return secret


def name_at(url: str) -> str:
    """What citations call a server that was given no name: Google's as it is known, others by their host."""
    host = urlsplit(url).hostname or "source"
    return "Developer Knowledge" if host == GOOGLE else host


def is_private(url: str) -> bool:
    """Whether nobody on the way reads what is sent: https, this machine, or a name without a dot (own network)."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts.scheme == "https" or host in LOOPBACK or ("." not in host and ":" not in host)


def read_secret(path: Path, setting: str) -> str:
    """What a secret's file holds. Raises SettingsError."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(setting, f"{path} cannot be read.", "Name a readable text file.") from error
