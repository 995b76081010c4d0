"""Markdown of every dialect becomes clean Markdown: words stay, tags go, code is left alone."""

import pytest

from app.corpus.readers.reading import ReadDocument, read

URI = "https://docs.example.com/guide/page/"


def content(source: str, name: str = "page.md", uri: str = URI) -> str:
    result = read(name, source.encode(), uri=uri)
    assert isinstance(result, ReadDocument), result
    return result.content.removesuffix("\n")


DIALECTS = [
    # Hugo
    ("{{< note >}}\nMind it.\n{{< /note >}}", "**Note:** Mind it."),
    ('{{% alert title="Hot" color="warning" %}}Gloves.{{% /alert %}}', "**Warning: Hot.** Gloves."),
    ("Runs {{< glossary_tooltip text='Pods' term_id='pod' >}}.", "Runs Pods."),
    ('Version {{< param "version" >}} now.', "Version {version} now."),
    ('## {{% heading "whatsnext" %}}\n\nx', "## What's next\n\nx"),
    ('{{< tab name="Bash" codelang="bash" >}}\nls\n    -l\n{{< /tab >}}', "**Bash**\n\n```bash\nls\n    -l\n```"),
    ('{{% tab name="Mac" %}}\nUse **it**.\n{{% /tab %}}', "**Mac**\n\nUse **it**."),
    ("{{< tabpane >}} {{< tab Go >}}\nx := 1\n{{< /tab >}} {{< /tabpane >}}", "**Go**\n\n```go\nx := 1\n```"),
    ("{{< mermaid >}}\nA-->B\n{{</ mermaid >}}", "```mermaid\nA-->B\n```"),
    ("{{< comment >}}secret{{< /comment >}}words", "words"),
    ("`{{< skew currentVersion >}}` and {{</* note */>}}", "`{currentVersion}` and `{{< note >}}`"),
    ('[Pod]({{< ref "../pod-v1#Pod" >}})', "[Pod](https://docs.example.com/pod-v1/#Pod)"),
    ('{{< codenew file="pods/one.yaml" >}}', "`pods/one.yaml`"),
    ("{{% codesample %}}\n```sh\nls\n```\n{{% /codesample %}}", "```sh\nls\n```"),
    ("1. One\n   {{< tabs >}}\n   {{% tab Mac %}}\n   Use it.\n   {{% /tab %}}\n   {{< /tabs >}}\n2. Two",
     "1. One\n\n   **Mac**\n\n   Use it.\n\n2. Two"),
    ('{{% config_option\nname="a.b"\ndefault=false\n%}} Set it. {{% /config_option %}}', "`a.b`: Set it."),
    # Liquid, Jinja, mustaches
    ("{% Aside 'caution' %}\nCareful.\n{% endAside %}", "**Caution:** Careful."),
    ("{% comment %}secret{% endcomment %}words", "words"),
    ("{% raw %}{{ kept.as.is }}{% endraw %}", "{{ kept.as.is }}"),
    ("{% if x %}one{% else %}two{% endif %}", "onetwo"),
    ('{% assign prompt = "$" %}Type {{prompt}} ls.', "Type $ ls."),
    ("{% highlight ruby %}\nputs 1\n{% endhighlight %}", "```ruby\nputs 1\n```"),
    ('{% render "x.md", caption: "A row", code:"\n```dart\nRow();\n```\n" %}', "A row\n\n```dart\nRow();\n```"),
    ("Install the {{product_cli}}, see [docs]({{site.docs}}/x).", "Install the product_cli, see docs."),
    ("Value `{{ .Values.x }}` or {{ .Values.y }}.", "Value `{{ .Values.x }}` or {{ .Values.y }}."),
    ("{# a note for editors #}words", "words"),
    ('<?code-excerpt "lib/main.dart"?>\n```dart\nx();\n```', "```dart\nx();\n```"),
    # MkDocs
    ('!!! warning "Hot"\n    Gloves on.\n\n    ```sh\n    ls\n    ```\nAfter.',
     "**Warning: Hot.** Gloves on.\n\n```sh\nls\n```\nAfter."),
    ('=== "Python"\n\n    ```python\n    x = 1\n    ```\n\n=== "Go"\n\n    Text.',
     "**Python**\n\n```python\nx = 1\n```\n\n**Go**\n\nText."),
    ("!!! Note: one line\n\nx", "**Note:** one line\n\nx"),
    ('```yaml title="a.yaml" hl_lines="1"\nx: 1\n```', "**a.yaml**\n\n```yaml\nx: 1\n```"),
    ("## Head {#id}\n\nText.{: .x }\n\n{: #y }", "## Head\n\nText."),
    ('--8<-- "secret.txt"\n\n[TOC]\n\nwords', "words"),
    # Docusaurus, VitePress, GitHub, wikis
    (":::tip[Read this]\nDo.\n:::", "**Tip: Read this.** Do."),
    ("> [!NOTE]\n> Mind it.", "> **Note:**\n> Mind it."),
    ("See [[Page]] and [[Page|that]], not [[a]](b.md).", "See Page and that, not [[a]](https://docs.example.com/guide/b/)."),
    ("```dart tag=bad\nx\n```", "**Bad**\n\n```dart\nx\n```"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), DIALECTS)
def test_a_dialect_becomes_plain_markdown(source: str, expected: str) -> None:
    assert content(source) == expected


EMBEDDED = [
    ("Use List<String> and <your-name>, a < b.", "Use List<String> and <your-name>, a < b."),
    ("Press <kbd>Ctrl</kbd>+<b>C</b>, <em>now</em>.", "Press `Ctrl`+**C**, *now*."),
    ('<a href="/x">this</a> and <a id="here"></a>that', "[this](https://docs.example.com/x) and that"),
    ("<!-- secret -->words<!-- more\n\nlines -->", "words"),
    ('<div style="display: none">secret</div>\n\n<p hidden>secret</p>\n\nwords', "words"),
    ("<script>secret()</script><style>x{}</style>words", "words"),
    ("<details><summary>More</summary>\n\nInside.\n\n</details>", "**More**\n\nInside."),
    ('<img src="a.png" alt="A cat"> ![A dog](b.png) ![](c.png)', "A cat A dog"),
    ('![image](a.png "What the picture shows")', "What the picture shows"),
    ("<h3>Head</h3>\n<p>Words</p>", "### Head\n\nWords"),
    ('<pre class="language-js">\n  a &lt; <b>b</b>\n</pre>', "```js\na < b\n```"),
    ("<table><tr><th>A</th></tr><tr><td>x</td></tr></table>", "A\n\nx"),
    ("<table><thead><tr><td>A</td><td>B</td></tr></thead><tr><td>a|b</td><td><code>c|d</code></td></tr></table>",
     "| A | B |\n| --- | --- |\n| a\\|b | `c\\|d` |"),
    ("<table><tr><td colspan=2>--flag</td></tr><tr><td></td><td>What it does.</td></tr></table>",
     "|  |  |\n| --- | --- |\n| --flag | What it does. |"),
    ("<table><tr><th>A</th><th>B</th></tr><tr><td rowspan=2>x</td><td>1</td></tr><tr><td>2</td></tr></table>",
     "| A | B |\n| --- | --- |\n| x | 1 |\n| x | 2 |"),
    ("<ul><li>one</li><li>two<ul><li>three</li></ul></li></ul>", "- one\n- two\n  - three"),
    ("<dl><dt>Pod</dt><dd>Runs.</dd><dt>Node</dt><dd>Holds.</dd></dl>", "- **Pod**: Runs.\n- **Node**: Holds."),
    ("| a |\n| --- |\n| x<br>y <b>z</b> |", "| a |\n| --- |\n| x y **z** |"),
    ("- one\n  <p>two</p>\n- three", "- one\n  two\n\n- three"),
    ("<ul><li>&lt;script&gt; and &lt;name&gt;</li></ul>", "- &lt;script> and <name>"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), EMBEDDED)
def test_html_in_markdown_becomes_markdown(source: str, expected: str) -> None:
    assert content(source) == expected


MDX = [
    ("import X from 'x';\n\nexport const a = {\n  b: 1,\n};\n\nWords.", "Words."),
    ("Words {/* secret */}and {' '}{answer} {process.env.HOME}.", "Words and  {answer} ."),
    ('<TabItem value="l" label="Linux">\n\n      Indented words.\n\n      ```sh\n      ls\n      ```\n\n</TabItem>',
     "**Linux**\n\nIndented words.\n\n```sh\nls\n```"),
    ('<Lang lang="js go">\n\nWords.\n\n</Lang>', "**JavaScript, Go**\n\nWords."),
    ('<Aside type="caution" title="Beta">Careful.</Aside>', "**Caution: Beta.** Careful."),
    ('<Card title="Start" description="Begin here." href="/x" />', "**Start**: Begin here."),
    ('<Tabs command="npm install it" />', "```sh\nnpm install it\n```"),
    ("{[1, 2].map((i) => <li key={i}>{i}</li>)}\n\nWords.", "Words."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), MDX)
def test_mdx_keeps_its_words_and_loses_its_program(source: str, expected: str) -> None:
    assert content(source, "page.mdx") == expected


CODE = [
    "```sh\n{{< x >}} {% y %} <b>z</b> [a](b) :::note\n!!! note\n```",
    "`<b>x</b> {% y %} [a](b)`",
    "````md\n```sh\nls\n```\n````",
    "- item\n\n  ```sh\n  # comment\n  ```",
    "> ```sh\n> ls\n> ```",
]


@pytest.mark.parametrize("source", CODE)
def test_code_is_left_as_it_is(source: str) -> None:
    assert content(source) == source


def test_indented_code_is_fenced_and_its_tags_stay() -> None:
    assert content("Run:\n\n    {{if .A}} <b>x</b>\n    # no heading\n\nDone.") == (
        "Run:\n\n```\n{{if .A}} <b>x</b>\n# no heading\n```\n\nDone."
    )


def test_a_fence_that_is_never_closed_runs_to_the_end() -> None:
    assert content("x\n\n```sh\nls\n\n# no heading") == "x\n\n```sh\nls\n\n# no heading\n```"


def test_an_unclosed_comment_hides_what_is_below_it_and_is_told() -> None:
    result = read("a.md", b"words\n\n<!-- open\n\nmore")
    assert isinstance(result, ReadDocument)
    assert result.content == "words\n"
    assert result.warnings == ("A comment is never closed: what stands below it was left out.",)


LINKS = [
    ("[a](b.md#c) [a](../b.md)", "[a](https://docs.example.com/guide/b/#c) [a](https://docs.example.com/b/)"),
    ("[a](./d/) [a](/e)", "[a](https://docs.example.com/guide/page/d/) [a](https://docs.example.com/e)"),
    ("[a](/x/b.mdx)", "[a](https://docs.example.com/x/b/)"),
    ("[a](#f)", "[a](https://docs.example.com/guide/page/#f)"),
    ("See [the *guide*][g], [g][] and [g].\n\n[g]: <https://x.example.com/a b> 'title'",
     "See [the *guide*](<URL>), [g](<URL>) and [g](<URL>).".replace("URL", "https://x.example.com/a b")),
    ("[a](javascript:alert(1)) [b](java&#115;cript:x) [c](data:x) [d](file:///etc) [e](mailto:x@example.com)",
     "a b c d [e](mailto:x@example.com)"),
    ("[a](https://x.example.com/a_(b)?c=%2F&d) [![alt](i.png)](https://y.example.com)",
     "[a](https://x.example.com/a_(b)?c=%2F&d) [alt](https://y.example.com)"),
    ("[gone][] and [kept][nowhere] and x[0][1]", "gone and [kept][nowhere] and x[0][1]"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), LINKS)
def test_links_are_whole_and_lead_to_the_web_only(source: str, expected: str) -> None:
    assert content(source) == expected


def test_relative_links_stay_as_they_are_where_the_address_is_unknown() -> None:
    assert content("[a](../b.md) [c](#d)", uri="") == "[a](../b.md) [c](#d)"


def test_links_of_an_index_page_are_resolved_from_its_own_folder() -> None:
    assert content("[a](b.md)", "docs/index.md") == "[a](https://docs.example.com/guide/page/b/)"
