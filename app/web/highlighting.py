"""A code block as a figure: language, room for a copy button, words in colour by class. No styles, no scripts."""

import re
from functools import lru_cache
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, _TokenType

from app.web.sanitising import COPY_BUTTON

COLOUR_LIMIT = 20_000  # characters; longer code is shown without colours: lexers are regular expressions
LINE_LIMIT = 2_000  # the same for a line of it

# Label and lexer by the words that stand behind a fence. A list of our own: a document must not make the server load
# any of the five hundred lexers, some of them megabytes. Other words are shown as the label, the code plain.
LANGUAGES = {
    "Bash": ("Shell", "bash sh shell zsh ksh shellscript"),
    "console": ("Shell", "console shell-session terminal sh-session bash-session"),
    "c": ("C", "c h"),
    "cpp": ("C++", "cpp c++ cc cxx hpp"),
    "csharp": ("C#", "csharp cs c#"),
    "css": ("CSS", "css scss"),
    "dart": ("Dart", "dart"),
    "diff": ("Diff", "diff patch"),
    "docker": ("Dockerfile", "docker dockerfile"),
    "go": ("Go", "go golang"),
    "groovy": ("Groovy", "groovy gradle"),
    "hcl": ("HCL", "hcl terraform tf"),
    "html": ("HTML", "html htm"),
    "http": ("HTTP", "http"),
    "ini": ("INI", "ini cfg conf properties dotenv"),
    "java": ("Java", "java"),
    "javascript": ("JavaScript", "javascript js jsx mjs cjs"),
    "json": ("JSON", "json json5 jsonc jsonl"),
    "kotlin": ("Kotlin", "kotlin kt kts"),
    "lua": ("Lua", "lua"),
    "make": ("Makefile", "make makefile mk"),
    "nginx": ("nginx", "nginx"),
    "objective-c": ("Objective-C", "objective-c objectivec objc"),
    "php": ("PHP", "php"),
    "powershell": ("PowerShell", "powershell ps1 pwsh"),
    "promql": ("PromQL", "promql"),
    "protobuf": ("Protocol Buffers", "protobuf proto proto3"),
    "pycon": ("Python", "pycon"),
    "python": ("Python", "python py python3 py3"),
    "ruby": ("Ruby", "ruby rb"),
    "rust": ("Rust", "rust rs"),
    "sql": ("SQL", "sql postgresql mysql sqlite"),
    "swift": ("Swift", "swift"),
    "toml": ("TOML", "toml"),
    "typescript": ("TypeScript", "typescript ts tsx"),
    "xml": ("XML", "xml svg plist"),
    "yaml": ("YAML", "yaml yml"),
}
_BY_WORD = {word: (label, lexer) for lexer, (label, words) in LANGUAGES.items() for word in words.split()}
_PLAIN = frozenset({"text", "txt", "plain", "plaintext", "none", "output", "nohighlight"})
_WORD = re.compile(r"[\s{.]*([A-Za-z0-9_+#-]{1,24})")


def code_figure(code: str, info: str, *, unnamed: str, named: str, attributes: str = "", classes: str = "") -> str:
    """`info` is what stands behind the fence. `unnamed` labels code of no language, `named` has a {language}.

    The result is to be sanitised like any other HTML.
    """
    label, lexer = language(info)
    spoken = named.replace("{language}", label) if label else unnamed
    return (
        f'<figure class="code{classes}"{attributes}>'
        f"<figcaption><span>{escape(label)}</span><{COPY_BUTTON}></{COPY_BUTTON}></figcaption>"
        f'<pre tabindex="0" role="region" aria-label="{escape(spoken)}"><code>{coloured(code, lexer)}</code></pre>'
        "</figure>\n"
    )


def language(info: str) -> tuple[str, str]:
    """Label and lexer (either may be empty) by the first word behind a fence: `yaml title="x"`, `{.python}`."""
    found = _WORD.match(info)
    if found is None:
        return "", ""
    word = found.group(1)
    if word.lower() in _PLAIN:
        return "", ""
    return _BY_WORD.get(word.lower(), (word, ""))


def coloured(code: str, lexer: str) -> str:
    """The code as HTML, each run of one kind in a span of a class (c, k, nt, s, m). Its text is the code, unchanged."""
    code = code.removesuffix("\n")
    if not lexer or len(code) > COLOUR_LIMIT or any(len(line) > LINE_LIMIT for line in code.split("\n")):
        return escape(code, quote=False)
    runs: list[tuple[str, list[str]]] = []
    for kind, text in _lexer(lexer).get_tokens(code + "\n"):  # some lexers drop a last line without its end
        name = _class(kind)
        if runs and (runs[-1][0] == name or not text.strip()):
            runs[-1][1].append(text)
        else:
            runs.append((name, [text]))
    texts = [(name, "".join(parts)) for name, parts in runs]
    if "".join(text for _, text in texts) != code + "\n":  # a lexer that changes the code has nothing to say
        return escape(code, quote=False)
    return "".join(_span(name, text) for name, text in texts).removesuffix("\n")


@lru_cache(maxsize=len(LANGUAGES))
def _lexer(name: str) -> Lexer:
    """Loaded at its first use: each costs memory and time."""
    return get_lexer_by_name(name.lower(), stripnl=False, ensurenl=False)


_CLASSES: dict[_TokenType, str] = {
    Comment: "c",
    Keyword: "k",
    Literal: "s",
    Name.Attribute: "nt",
    Name.Builtin: "k",
    Name.Tag: "nt",
    Number: "m",
    Operator.Word: "k",
}


@lru_cache(maxsize=512)
def _class(kind: _TokenType) -> str:
    """The class of the nearest family that a token belongs to."""
    family: _TokenType | None = kind
    while family is not None:
        if family in _CLASSES:
            return _CLASSES[family]
        family = family.parent
    return ""


def _span(kind: str, text: str) -> str:
    """A run in its colour; blanks at its end stay outside."""
    safe = escape(text, quote=False)
    bare = safe.rstrip()
    return f'<span class="{kind}">{bare}</span>{safe[len(bare) :]}' if kind else safe
