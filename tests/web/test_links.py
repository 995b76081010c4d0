"""Which addresses may be followed, and where relative ones lead."""

import pytest

from app.web.links import ADDRESS_LIMIT, followable, text_directive

BASE = "https://docs.example/guide/page?v=1#top"


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("https://x.example/a_(b)?c=d&e=%20#f", "https://x.example/a_(b)?c=d&e=%20#f"),
        ("HTTP://x.example", "HTTP://x.example"),
        ("http://localhost:8080/x", "http://localhost:8080/x"),
        ("http://[2001:db8::1]/p", "http://[2001:db8::1]/p"),
        ("mailto:docs@example.com", "mailto:docs@example.com"),
        ("other", "https://docs.example/guide/other"),
        ("../other#x", "https://docs.example/other#x"),
        ("/root", "https://docs.example/root"),
        ("../../../../etc/passwd", "https://docs.example/etc/passwd"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("?w=2", "https://docs.example/guide/page?w=2"),
        ("#part", "https://docs.example/guide/page?v=1#part"),
        ("/a@b", "https://docs.example/a@b"),
        ("/x:y", "https://docs.example/x:y"),
    ],
)
def test_an_address_leads_where_it_leads_in_its_document(href: str, target: str) -> None:
    assert followable(href, BASE) == target


@pytest.mark.parametrize(
    "href",
    [
        "",
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "blob:https://x.example/1",
        "file:///etc/passwd",
        "ftp://x.example/",
        "tel:+1",
        "view-source:https://x.example",
        "https:",
        "https://",
        "https:///x",
        "https:x",
        "https:%5C%5Cevil.example%5Cx",
        "https:\\\\evil.example",
        "https://good.example@evil.example/",
        "https://user:pw@x.example/",
        "https://evil.example%5C@good.example/",
        "http://[",
        "http://x.example:port/",
        "https://x.example/\u202egpj.exe",
        "https://x.example/\u200b",
        "https://x.example/a b",
        "https://x.example/%EF%BF%BD",
        "mailto:",
        "mailto://x@y",
        "https://x.example/" + "a" * ADDRESS_LIMIT,
    ],
)
def test_other_addresses_lead_nowhere(href: str) -> None:
    assert followable(href, BASE) is None


@pytest.mark.parametrize("href", ["other", "/root", "#part", "//cdn.example/x", "?x"])
@pytest.mark.parametrize("base", ["", "documents/x", "file:///srv/page.md", "corpus:page"])
def test_without_a_web_address_to_start_from_relative_ones_lead_nowhere(href: str, base: str) -> None:
    assert followable(href, base) is None


def test_a_text_directive_follows_a_fragment_or_makes_one() -> None:
    assert text_directive("https://x.example/a", "one two") == "https://x.example/a#:~:text=one%20two"
    assert text_directive("https://x.example/a#b", "one", "two") == "https://x.example/a#b:~:text=one,two"
    assert text_directive("https://x.example/a", "-a,b&c/ü") == "https://x.example/a#:~:text=%2Da%2Cb%26c%2F%C3%BC"
