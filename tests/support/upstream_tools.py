"""The four tools over a few pages, by the overlap of words, and the odd things that results may hold. No transport."""

import re
from collections.abc import Sequence
from typing import Any

from tests.support.upstream_pages import UpstreamPage
from tests.support.upstream_shapes import SECRET, encoded

HUGE = 30_000_000
_STOP = frozenset(
    "a an and are at be by can do does for from how i in is it its of on or the to was what when which with".split()
)
_SENTENCE = re.compile(r"[^.!?\n|`#]*[.!?](?=\s|$)")

_ONE = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
_NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_MANY = {"type": "object", "properties": {"names": {"type": "array"}}, "required": ["names"]}
_SCHEMAS = {
    "search_documents": _ONE,
    "answer_query": _ONE,
    "get_document": _NAME,
    "batch_get_documents": _MANY,
    "get_documents": _MANY,
}
TOOLS = {
    "live": ("search_documents", "answer_query", "get_documents"),
    "reference": ("search_documents", "get_document", "batch_get_documents", "answer_query"),
    "single": ("search_documents", "get_document", "answer_query"),
    "search": ("search_documents",),
    "all": tuple(_SCHEMAS),
}


class Refused(Exception):
    """The tool says no; `meaning` is one of `upstream_shapes.MEANINGS`."""

    def __init__(self, meaning: str) -> None:
        super().__init__(meaning)
        self.meaning = meaning


def listed(names: Sequence[str], cursor: str, size: int) -> dict[str, Any]:
    """One page of tools/list."""
    start = int(cursor or "0")
    shown = [{"name": name, "inputSchema": _SCHEMAS[name]} for name in names[start : start + size]]
    more = {"nextCursor": str(start + size)} if start + size < len(names) else {}
    return {"tools": shown, **more}


class Shelves:
    """Pages, and the tools that read them. Each tool gives its structured content or raises Refused."""

    def __init__(self, pages: Sequence[UpstreamPage], huge: set[str]) -> None:
        self._pages = {page.name: page for page in pages}
        self._huge = huge

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if tool in ("search_documents", "answer_query"):
            query = arguments.get("query")
            if not isinstance(query, str) or not query.strip() or (tool == "search_documents" and len(query) > 500):
                raise Refused("invalid")
            return self._search(query) if tool == "search_documents" else self._answer(query)
        if tool == "get_document":
            return self._document(arguments.get("name"), titled=False)
        names = arguments.get("names")
        if not isinstance(names, list) or not 0 < len(names) <= 20:
            raise Refused("invalid")
        return {"documents": [self._document(name, titled=tool == "get_documents") for name in names]}

    def _document(self, name: object, *, titled: bool) -> dict[str, Any]:
        if not isinstance(name, str) or not name.startswith("documents/") or len(name) > 500:
            raise Refused("invalid")
        page = self._pages.get(name)
        if page is None:
            raise Refused("not_found")
        content = page.content + ("x" * HUGE if name in self._huge else "")
        told = {"name": name, "uri": page.uri, "content": content, "description": page.description}
        return {**told, "title": page.title} if titled else told

    def _search(self, query: str) -> dict[str, Any]:
        ranked = [(_overlap(query, f"{page.title} {part}"), page, place, part) for page, place, part in self._parts()]
        best = sorted((each for each in ranked if each[0]), key=lambda each: -each[0])[:5]
        return {"results": [{"parent": page.name, "id": str(place), "content": part} for _, page, place, part in best]}

    def _parts(self) -> list[tuple[UpstreamPage, int, str]]:
        """Each page by its sections."""
        return [
            (page, place, part.strip())
            for page in self._pages.values()
            for place, part in enumerate(re.split(r"\n(?=## )", page.content))
        ]

    def _answer(self, query: str) -> dict[str, Any]:
        """The sentences of the two best pages that fit, the best page's first."""
        found = self._search(query)["results"]
        names = list(dict.fromkeys(each["parent"] for each in found))[:2]
        said, used = [], []
        for name in names:
            page = self._pages[name]
            sentences = [" ".join(each.split()) for each in _SENTENCE.findall(page.content)]
            fitting = [each for each in sentences if _overlap(query, each) >= 2][: 3 if name == names[0] else 2]
            if name == names[0] and not fitting:
                best = max(sentences, key=lambda each: _overlap(query, each))
                fitting = [best] if _overlap(query, best) else []
            if fitting:
                said.append(" ".join(fitting))
                used.append(name)
        return {"answerText": "\n\n".join(said), "references": used}


def _words(text: str) -> set[str]:
    found = re.findall(r"[a-z0-9]{2,}", text.casefold())
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in found if word not in _STOP}


def _overlap(query: str, text: str) -> int:
    return len(_words(query) & _words(text))


HOSTILE = (
    '<img src="https://evil.example/x" onerror="alert(1)"><script>alert(1)</script> <div hx-get="/evil">x</div> {{7*7}}'
    "\r\n\r\nevent: done\ndata: taken\n\n\x00 "
    "![beacon](https://evil.example/beacon.png) [a link](javascript:alert(1))\n\n"
)
BRACKETS = "[" + "1234567890" * 1000 + "] [1] [[2]] 【3】 "
ODD_REFERENCES = [
    None,
    7,
    "",
    "   ",
    {"name": 3},
    "documents/",
    "javascript:alert(1)",
    "mailto:a@b.example",
    "nothing",
    "a\nb",
]

CHANGES = {
    "hostile": "markup, scripts, event frames",
    "brackets": "10 kB of digits in brackets",
    "no_answer": "an empty text",
    "no_results": "an empty list of results",
    "no_references": "none told",
    "many_references": "21 of them",
    "uri_references": "as whole addresses, each twice",
    "odd_references": "junk among them",
    "text_only": "the JSON as text, no structured content",
    "plain_text": "the answer as text, no JSON",
    "weak": "the outcome that our own server tells",
    "not_found": "the outcome that our own server tells",
    "other_names": "documents under another name than asked for",
    "no_uri": "documents without an address",
    "bad_uri": "documents with an address that no browser should open",
    "some_malformed": "junk in the list",
    "all_malformed": "nothing but junk in the list",
    "wrong_lists": "a text where a list should be",
    "surrogate": "half a letter",
}


def changed(content: dict[str, Any], tool: str, plays: set[str]) -> dict[str, Any]:
    """The result of tools/call, as the plays want it."""
    answer = tool == "answer_query"
    if answer:
        _change_answer(content, plays)
    _change_documents(content, plays)
    _change_lists(content, plays)
    text = encoded(content).decode("utf-8")
    if "plain_text" in plays and answer:
        return {"content": [{"type": "text", "text": content["answerText"]}]}
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
    if "text_only" not in plays:
        result["structuredContent"] = content
    for outcome in {"weak", "not_found"} & plays:
        result["_meta"] = {"footnote/outcome": outcome}
    return result


def _change_answer(content: dict[str, Any], plays: set[str]) -> None:
    references = content["references"]
    if "hostile" in plays:
        content["answerText"] = HOSTILE + content["answerText"]
    if "brackets" in plays:
        content["answerText"] = BRACKETS + content["answerText"]
    if "surrogate" in plays:
        content["answerText"] += " half \ud83d"
    if "no_answer" in plays:
        content["answerText"] = " \n"
    if "no_references" in plays:
        del content["references"]
    if "many_references" in plays:
        content["references"] = references + [
            f"documents/docs.cloud.example.com/more/{n}" for n in range(21 - len(references))
        ]
    if "uri_references" in plays:
        content["references"] = [each.replace("documents/", "https://") for each in references * 2]
    if "odd_references" in plays:
        content["references"] = ODD_REFERENCES + references


def _change_documents(content: dict[str, Any], plays: set[str]) -> None:
    for document in content.get("documents", [content] if "content" in content else []):
        if "other_names" in plays:
            document["name"] = document["name"].replace("documents/", "documents/other.")
        if "no_uri" in plays:
            del document["uri"]
        if "bad_uri" in plays:
            document["uri"] = "javascript:alert(1)"


def _change_lists(content: dict[str, Any], plays: set[str]) -> None:
    for key in {"results", "documents"} & set(content):
        if plays & {"some_malformed", "all_malformed"}:
            junk: list[Any] = [None, 7, [], {}, {"parent": 1, "name": 1, "content": 2}]
            content[key] = junk + ([] if "all_malformed" in plays else content[key])
        if "no_results" in plays:
            content[key] = []
        if "wrong_lists" in plays:
            content[key] = SECRET
