"""What a browser would act on in a piece of HTML: elements, attribute names, attribute values. Not its text."""

from selectolax.lexbor import LexborHTMLParser

ELEMENTS = frozenset(
    "p li td th h1 h2 h3 h4 h5 h6 br hr em strong s code pre ul ol blockquote a span table thead tbody tr div figure "
    "figcaption copy-button mark sup".split()
)
ATTRIBUTES = frozenset("id class dir href target rel start scope tabindex role aria-label".split())
SPOKEN = frozenset({"aria-label"})  # read aloud, never followed


def elements(html: str) -> list[tuple[str, dict[str, str]]]:
    """Every element of the fragment with its attributes, as an HTML5 parser sees them."""
    tree = LexborHTMLParser(f"<!doctype html><title>x</title><body><main>{html}</main>")
    found = [(node.tag or "", {key: value or "" for key, value in node.attributes.items()}) for node in tree.css("*")]
    frame = ["html", "head", "title", "body", "main"]
    assert [tag for tag, _ in found[:5]] == frame, found[:6]
    return found[5:]


def active(html: str) -> list[str]:
    """`<tag`, `attribute=` and attribute values, as the lists of hostile files name them."""
    seen: list[str] = []
    for tag, attributes in elements(html):
        seen.append(f"<{tag}")
        for name, value in attributes.items():
            seen.append(f"{name}=")
            if name not in SPOKEN:
                seen.append(value)
    return seen


def assert_harmless(html: str) -> None:
    """Only what our own rendering makes, and only addresses that may be followed."""
    for tag, attributes in elements(html):
        assert tag in ELEMENTS, tag
        assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        href = attributes.get("href", "")
        assert not href or href.startswith(("http://", "https://", "mailto:", "#section-")), href
        assert attributes.get("id", "section-").startswith(("section-", "passage-")), attributes
