"""Code blocks: language, colours, and the code itself unchanged."""

import subprocess
import sys

import pytest
from selectolax.lexbor import LexborHTMLParser

from app.web.highlighting import COLOUR_LIMIT, LANGUAGES, LINE_LIMIT, code_figure, coloured, language

SAMPLES = {
    "yaml": "apiVersion: policy/v1  # comment\nkind: <Budget> & 'more'\n\n\n",
    "python": "def f(x: int) -> str:\n    return f'{x}' # ü\n",
    "console": "$ kubectl get nodes\nNAME   STATUS\n",
    "bash": 'for f in *.py; do\n\techo "$f"\ndone',
    "json": '{"a": [1, true, null]}',
    "html": "<script>alert('x')</script>\n",
    "pycon": ">>> 1 + 1\n2\n",
    "diff": "- old\n+ new\n",
    "http": "GET / HTTP/1.1\nHost: x\n",
}


def text_of(html: str) -> str:
    (code,) = LexborHTMLParser(f"<pre><code>{html}</code></pre>").css("code")
    return code.text()


@pytest.mark.parametrize("word", SAMPLES)
def test_colours_leave_the_code_as_it_is(word: str) -> None:
    code = SAMPLES[word]
    _, lexer = language(word)
    assert lexer
    assert text_of(coloured(code, lexer)) == code.removesuffix("\n")


@pytest.mark.parametrize("lexer", LANGUAGES)
def test_every_listed_language_has_a_lexer_that_keeps_every_sign(lexer: str) -> None:
    code = "\n  a <b> & 'c' \"d\" # e // f\n\tg = 1\n\n{h: [i]}\n"
    assert text_of(coloured(code, lexer)) == code.removesuffix("\n")


def test_the_classes_are_the_few_that_the_style_sheet_knows() -> None:
    classes = {
        node.attributes["class"]
        for word, code in SAMPLES.items()
        for node in LexborHTMLParser(coloured(code, language(word)[1])).css("span")
    }
    assert classes == {"c", "k", "nt", "s", "m"}


@pytest.mark.parametrize(
    ("info", "label"),
    [
        ("yaml", "YAML"),
        ("YAML", "YAML"),
        ('yaml title="x.yaml"', "YAML"),
        ("{.python .numberLines}", "Python"),
        ("py", "Python"),
        ("c++", "C++"),
        ("sh", "Shell"),
        ("mermaid", "mermaid"),
        ("dartpad:run-true", "dartpad"),
        ("text", ""),
        ("", ""),
        ("{}", ""),
        ('"><img src=x>', ""),
    ],
)
def test_the_label_is_the_language_by_whatever_name(info: str, label: str) -> None:
    assert language(info)[0] == label


def test_unknown_languages_are_plain() -> None:
    assert coloured("a = <1>", language("brainfuck")[1]) == "a = &lt;1&gt;"


@pytest.mark.parametrize("code", ["x = 1\n" * (COLOUR_LIMIT // 6 + 1), "x" * (LINE_LIMIT + 1)])
def test_very_long_code_is_plain(code: str) -> None:
    assert "<span" not in coloured(code, "python")


def test_the_figure_names_its_language_and_can_be_scrolled_by_keyboard() -> None:
    html = code_figure("a: 1\n", "yaml", unnamed="Code", named="{language} code")
    assert html == (
        '<figure class="code"><figcaption><span>YAML</span><copy-button></copy-button></figcaption>'
        '<pre tabindex="0" role="region" aria-label="YAML code"><code>'
        '<span class="nt">a</span>: <span class="s">1</span></code></pre></figure>\n'
    )
    assert 'aria-label="Code"' in code_figure("a", "", unnamed="Code", named="{language} code")


def test_lexers_are_loaded_at_their_first_use() -> None:
    script = (
        "import sys, app.web.markdown\n"
        "assert not [name for name in sys.modules if name.startswith('pygments.lexers.')"
        " and name != 'pygments.lexers._mapping'], sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
