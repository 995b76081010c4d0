"""Of a page of HTML its article is kept, as Markdown."""

from app.corpus.readers.reading import ReadDocument, read


def content(source: str) -> str:
    result = read("page.html", source.encode(), uri="https://docs.example.com/a/b")
    assert isinstance(result, ReadDocument), result
    return result.content.removesuffix("\n")


def test_navigation_banners_and_feedback_are_left_out() -> None:
    page = """
    <body><header><nav><a href="/">Home</a></nav></header>
    <div class="cookie-banner">Cookies?</div>
    <main><article><h1>Title <a class="headerlink" href="#t">¶</a></h1><p>The words stand here.</p></article>
    <div class="feedback">Helpful?</div></main>
    <footer>Imprint</footer></body>"""
    assert content(page) == "# Title\n\nThe words stand here."


def test_a_small_main_element_does_not_hide_the_page() -> None:
    assert content("<body><main>x</main><p>" + "Many words. " * 20) == "x\n\n" + ("Many words. " * 20).strip()


def test_words_that_look_like_markdown_are_escaped() -> None:
    assert content("<p># 5 *stars* for __init__ and snake_case</p><p>1. x</p>") == (
        "\\# 5 \\*stars\\* for \\_\\_init\\_\\_ and snake_case\n\n1\\. x"
    )


def test_tabs_give_their_names_to_their_panels() -> None:
    page = """<button role="tab" id="l">Linux</button><button role="tab" id="m">Mac</button>
    <div role="tabpanel" aria-labelledby="l"><p>Use apt.</p></div>
    <div role="tabpanel" aria-labelledby="m" hidden><p>Use brew.</p></div>"""
    assert content(page) == "**Linux**\n\nUse apt.\n\n**Mac**\n\nUse brew."


def test_code_keeps_its_lines_and_language_without_the_prompt() -> None:
    page = '<pre><code class="language-sh"><span class="prompt">$ </span>ls\n  -l<br>x</code></pre>'
    assert content(page) == "```sh\nls\n  -l\nx\n```"


def test_links_are_resolved_against_the_page_and_not_its_base() -> None:
    page = '<base href="https://evil.example.com/"><p><a href="c">x</a></p>'
    assert content(page) == "[x](https://docs.example.com/a/c)"


def test_what_is_hidden_from_a_reader_is_left_out() -> None:
    page = '<p hidden>a</p><p style="font-size: 0">b</p><p class="sr-only">c</p><template>d</template><p>words</p>'
    assert content(page) == "words"


def test_lists_and_quotes_keep_their_shape() -> None:
    page = "<ol start=3><li>three<pre>x</pre></li><li>four</li></ol><blockquote><p>a</p><p>b</p></blockquote>"
    assert content(page) == "3. three\n\n   ```\n   x\n   ```\n\n4. four\n\n> a\n>\n> b"
