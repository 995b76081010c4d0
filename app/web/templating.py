"""Jinja set up once, and the pages and components of one request. Not what they say: that is in `templates/`."""

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from app.web.addresses import Addresses
from app.web.assets import Assets
from app.web.i18n import Language, Languages
from app.web.views import Cite, Interface


class Templates:
    """One environment for each language: texts are bound once, and no template can speak two."""

    def __init__(self, folder: Path, languages: Languages) -> None:
        self._environments = {language.tag: _environment(folder, language) for language in languages.known}

    def environment(self, language: Language) -> Environment:
        return self._environments[language.tag]


def _environment(folder: Path, language: Language) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_translations(language.translations, newstyle=True)  # type: ignore[attr-defined]
    return environment


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page and component of one request may name besides its own view."""

    interface: Interface
    assets: Assets
    language: Language
    nonce: str
    path: Addresses


@dataclass(frozen=True, slots=True)
class Pages:
    """Renders for one request: in the reader's language, with the request's nonce and addresses."""

    environment: Environment
    frame: Frame

    def page(
        self, name: str, view: object, status: int = 200, *, headers: dict[str, str] | None = None
    ) -> HTMLResponse:
        """A whole page from `templates/pages`; its view is called `page` there."""
        text = self.environment.get_template(f"pages/{name}.html").render(page=view, frame=self.frame)
        return HTMLResponse(text, status, headers)

    def component(self, name: str, view: object) -> Markup:
        """A component from `templates/components`; its view has the component's own name there."""
        context = {name: view, "frame": self.frame}
        text = self.environment.get_template(f"components/{name}.html").render(context)
        return Markup(text.strip())  # noqa: S704  # rendered with autoescape

    def cite(self, cite: Cite) -> Markup:
        return self.component("citation", cite)

    def fragment(self, *parts: Markup, status: int = 200, headers: dict[str, str] | None = None) -> HTMLResponse:
        """A reply that htmx swaps into a page; of a refusal (4xx, 5xx) only its partials."""
        return HTMLResponse("\n".join(parts), status, headers)


def partial(target: str, html: Markup | str, swap: str = "innerHTML") -> Markup:
    """Our own wrapper: what of a reply or message goes where. Text is escaped; `target` is an element's id."""
    return Markup('<hx-partial hx-target="#{}" hx-swap="{}">{}</hx-partial>').format(target, swap, html)
