"""Settings from where operators put them, read once at start; how they are listed, and what a wrong one says.

The environment beats `.env`, which beats `footnote.toml`, which beats the default. A secret may also come from a file
named by `…_FILE`.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.domain.errors import SettingsError
from app.settings.remotes import RemoteSource, fit_for_header, read_secret
from app.settings.values import PREFIX, SECRETS, TOML, Settings, named


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting as it is listed: full name, present value (a secret as dots), default and help."""

    name: str
    value: str
    default: str
    help: str


def load(**given: object) -> Settings:
    """Settings from environment, `.env` and `footnote.toml`; `given` (from the command line) beat all of them.

    Raises SettingsError.
    """
    _check_toml()
    try:
        settings = Settings(**_secrets_from_files(), **given)  # type: ignore[arg-type]  # pydantic checks each value
    except ValidationError as error:
        raise _first_problem(error) from error
    _check_secrets(settings)
    return settings


def listing(settings: Settings) -> Iterator[SettingLine]:
    """All settings in the order of their declaration."""
    for name, field in Settings.model_fields.items():
        yield SettingLine(
            PREFIX + name.upper(),
            _shown(getattr(settings, name)),
            _shown(field.default),
            field.description or "",
        )


def _check_secrets(settings: Settings) -> None:
    """What would fail with the first question fails now."""
    if settings.source_api_key:
        fit_for_header(settings.source_api_key.get_secret_value(), named("source_api_key"))
    if settings.source_token:
        fit_for_header(settings.source_token.get_secret_value(), named("source_token"))
    if settings.model_api_key:
        fit_for_header(settings.model_api_key.get_secret_value(), named("model_api_key"))
    for remote in settings.remotes:
        remote.secret("api_key")
        remote.secret("token")


def _secrets_from_files() -> dict[str, str]:
    """`FOOTNOTE_SECRET_KEY_FILE` and its like: the habit of containers, so that no secret stands in an environment."""
    files = _SecretFiles()
    found: dict[str, str] = {}
    for name in SECRETS:
        path: Path | None = getattr(files, f"{name}_file")
        if path is not None:
            found[name] = read_secret(path, f"{named(name)}_FILE")
    return found


def _check_toml() -> None:
    """A misspelt name in the file would be a setting that is not in force, without a word."""
    if not TOML.is_file():
        return
    try:
        given = tomllib.loads(TOML.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(str(TOML), f"cannot be read: {error}.", "Mend the file.") from error
    for name in given:
        if name not in Settings.model_fields:
            raise SettingsError(
                f"{TOML}: {name}", "is no setting.", "footnote settings lists them all, without prefix."
            )


class _SecretFiles(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", env_ignore_empty=True)

    secret_key_file: Path | None = None
    database_url_file: Path | None = None
    source_api_key_file: Path | None = None
    source_token_file: Path | None = None
    model_api_key_file: Path | None = None


def _first_problem(error: ValidationError) -> SettingsError:
    problem = error.errors(include_url=False, include_input=False)[0]
    name = str(problem["loc"][0]) if problem["loc"] else ""
    if name == "sources":
        where = ".".join(str(part) for part in problem["loc"])
        return SettingsError(f"{TOML}: {where}", problem["msg"].removeprefix("Value error, "), "Mend that entry.")
    field = Settings.model_fields.get(name)
    if problem["type"] == "value_error":
        said = str(problem["ctx"]["error"])
        what, _, mend = said.partition(". ")
        return SettingsError(PREFIX + name.upper(), what + ".", mend)
    what = problem["msg"].removesuffix(".") + "."
    return SettingsError(PREFIX + name.upper(), what, f"It is: {field.description}" if field else "")


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case SecretStr():
            return "••••••••"
        case bool():
            return str(value).lower()
        case tuple():
            return " | ".join(each.name if isinstance(each, RemoteSource) else str(each) for each in value)
        case _:
            return str(value)
