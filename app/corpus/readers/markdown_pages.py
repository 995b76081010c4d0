"""A page of Markdown or MDX, in whatever dialect -> clean Markdown. The single steps stand in the files beside this."""

import re

from app.corpus.readers.dialects import plain_markdown
from app.corpus.readers.draft import Draft
from app.corpus.readers.embedded_html import hide_preformatted, strip_comments, strip_tags
from app.corpus.readers.front_matter import Header, split_header
from app.corpus.readers.indentation import settle_indentation
from app.corpus.readers.labels import join_labels
from app.corpus.readers.links import settle_links
from app.corpus.readers.mdx import strip_mdx
from app.corpus.readers.templating import hide_template_code, settle_unknown, strip_go_raw, strip_templates
from app.corpus.readers.titles import headings_of
from app.corpus.readers.vault import Vault

_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


def read_markdown(text: str, *, uri: str, file_name: str, mdx: bool) -> Draft:
    """A page of Markdown; its front matter says title, description, language and address where it does."""
    header = split_header(text)
    return draft_of(header, Vault(), uri=uri, file_name=file_name, mdx=mdx)


def draft_of(header: Header, vault: Vault, *, uri: str, file_name: str, mdx: bool = False) -> Draft:
    """The draft of a page whose header is split off and whose vault may hold code already."""
    warnings = header.warnings
    text = vault.hide(strip_go_raw(header.body))
    text, unclosed = strip_comments(text)
    if unclosed:
        warnings = (*warnings, "A comment is never closed: what stands below it was left out.")
    text = hide_preformatted(text, vault)
    if mdx:
        text = strip_mdx(text)
    text = hide_template_code(text, vault)
    text = plain_markdown(text)
    text = settle_indentation(text, vault, code=not mdx)
    text = strip_templates(text, vault)
    text = strip_tags(text, vault, components=mdx)
    return finished(text, header, vault, uri=uri, file_name=file_name, warnings=warnings)


def finished(
    text: str, header: Header, vault: Vault, *, uri: str, file_name: str, warnings: tuple[str, ...] = ()
) -> Draft:
    """The last steps that pages of every format share: links, labels, blank lines, titles, the code put back."""
    text = settle_unknown(settle_links(text, vault, uri, file_name))
    text = join_labels(_TRAILING.sub("", text))
    text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    fields = header.fields
    titles = (fields.get("title", ""), *(vault.restore(heading) for heading in headings_of(text)))
    return Draft(
        content=vault.restore(text),
        titles=tuple(title for title in titles if title),
        description=fields.get("description", ""),
        language=fields.get("lang") or fields.get("language") or "",
        uri=next((fields[key] for key in ("uri", "url", "canonical", "canonical_url") if fields.get(key)), ""),
        warnings=warnings,
    )
