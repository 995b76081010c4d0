"""A page of HTML -> the Markdown of its article. Not the conversion of single elements."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.corpus.readers.draft import Draft
from app.corpus.readers.embedded_html import strip_comments
from app.corpus.readers.front_matter import Header, split_header
from app.corpus.readers.html_markdown import LABEL, text_of, to_markdown
from app.corpus.readers.markdown_pages import finished
from app.corpus.readers.templating import hide_template_code, strip_go_raw, strip_templates
from app.corpus.readers.vault import Vault

_ROOTS = (
    "article",
    "main",
    "[role=main]",
    "#main-content",
    "#content",
    ".md-content",
    ".document .body",
    ".markdown-body",
)
_BOILERPLATE = (
    "nav, header nav, footer, [role=navigation], [role=banner], [role=contentinfo], [role=search], .cookie-banner, "
    ".feedback, .breadcrumb, .breadcrumbs, .table-of-contents, .toc, #toc, .sidebar, .skip, .skip-link, .edit-page, "
    ".page-nav, .pagination, .md-source-file, .share, .advertisement, .cookie-consent, #cookie-banner"
)
_ASIDES = "body > header, body > aside, aside.sidebar, body > .cookie, [aria-label=breadcrumbs]"
_MIN_SHARE = 0.25  # an article that holds less of the page's words than this is not the page's text
_SITE_NAME = re.compile(r"\s+[|–—·»]\s+[^|–—·»]{1,60}$|\s+-\s+[^-]{1,60}$")
_WHOLE_PAGE = re.compile(r"\s*(?:<!DOCTYPE\s+html|<html[\s>])", re.IGNORECASE)


def is_html_page(text: str) -> bool:
    """Whether the text is a whole page of HTML, whatever its name says."""
    return _WHOLE_PAGE.match(text, 0) is not None


def read_html(text: str, *, uri: str, file_name: str) -> Draft:
    """The article of a page: navigation, banners, forms, scripts and what is hidden are left out."""
    header = split_header(text)
    vault = Vault()
    body = header.body
    if "{{" in body or "{%" in body:
        body = strip_templates(hide_template_code(strip_go_raw(body), vault), vault)
    body, _ = strip_comments(body)
    tree = LexborHTMLParser(body)
    page = Header(header.body, {**_said(tree), **header.fields}, header.warnings)
    root = _article(tree)
    markdown = to_markdown(root, vault) if root is not None else ""
    draft = finished(markdown, page, vault, uri=uri, file_name=file_name, warnings=header.warnings)
    return _titled(draft, page, header)


def _titled(draft: Draft, page: Header, header: Header) -> Draft:
    """Front matter, else the first heading, else the page's <title> without the site's name."""
    said = page.fields.get("page title", "")
    shown = _SITE_NAME.sub("", said) or said
    titles = (
        header.fields.get("title", ""),
        *(title for title in draft.titles if title != page.fields.get("title")),
        shown,
    )
    return Draft(
        content=draft.content,
        titles=tuple(title for title in titles if title),
        description=draft.description,
        language=draft.language,
        uri=draft.uri,
        warnings=draft.warnings,
    )


def _said(tree: LexborHTMLParser) -> dict[str, str]:
    """What the page's head says of it."""
    fields: dict[str, str] = {}
    title = tree.css_first("title")
    if title is not None:
        fields["page title"] = text_of(title)
    for query, attribute, name in (
        ("meta[name=description]", "content", "description"),
        ("link[rel=canonical]", "href", "canonical"),
        ("html[lang]", "lang", "lang"),
    ):
        node = tree.css_first(query)
        value = node.attributes.get(attribute) if node is not None else None
        if value:
            fields[name] = value
    return fields


def _article(tree: LexborHTMLParser) -> LexborNode | None:
    body = tree.body
    if body is None:
        return None
    for query in (_BOILERPLATE, _ASIDES):
        for node in tree.css(query):
            node.decompose()
    _label_tabs(tree)
    whole = len(text_of(body))
    for query in _ROOTS:
        nodes = tree.css(query)
        if len(nodes) == 1 and len(text_of(nodes[0])) >= _MIN_SHARE * whole:
            return nodes[0]
    return body


def _label_tabs(tree: LexborHTMLParser) -> None:
    """Give each panel the name of its tab: the tabs are buttons, which are no text."""
    names = {tab.id: text_of(tab) for tab in tree.css("[role=tab][id]")}
    for panel in tree.css("[role=tabpanel][aria-labelledby]"):
        name = names.get(panel.attributes.get("aria-labelledby") or "")
        if name:
            panel.attrs[LABEL] = name
            if "hidden" in panel.attributes:
                del panel.attrs["hidden"]
