"""Which words of a question carry it: its language by its small words, and those small words left out. No stemming."""

import re

WORD = re.compile(r"\w+(?:['’][^\W_]+)?")

# Words that ask and join but name nothing. "not", "without", "all" and their like change what is asked and stay out of
# no search: measured, leaving them in costs nothing.
STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        """a about after also am an and another any are aren't as at be because been before being both but by can can't
        cannot could couldn't did didn't do does doesn't doing don't during each either else ever few for from
        further get gets got had hadn't has hasn't have haven't having he her here hers him his how how's however i
        i'd i'll i'm i've if in into is isn't it it's its itself just let let's like made make makes many may me
        might mine more most much must my myself need needs no nor now of off on once one only or other ought our
        ours out over own please same shall she should shouldn't since so some still such tell than that that's the
        their theirs them themselves then there there's these they they're this those through to too under until up
        upon us use used uses using very want wants was wasn't way we we're were weren't what what's when where
        where's whether which while who whom whose why why's will with within won't would wouldn't yes yet you you're
        your yours""".split()
    ),
    "de": frozenset(
        """aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bekomme bekommt bin bis
        bist da dabei dafür dagegen daher damit dann daran darauf darf das dass dazu dein deine dem den denn der deren
        des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch dürfen ein eine einem einen
        einer eines er es etwa etwas euch euer für gegen geht gibt habe haben hat hatte hier hin hinter ich ihm ihn ihr
        ihre ihrem ihren im in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen können könnte
        lasse lassen lässt mache machen macht man mein meine meinem meinen meiner mich mir mit muss müssen nach nicht
        noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so soll sollen sollte sollten
        sondern über um und uns unser unsere unter vom von vor wann warum was weil welche welchem welchen welcher
        welches wenn wer werde werden wie wieso will wir wird wo wofür wohin womit wozu wurde würde zu zum zur
        zwischen""".split()
    ),
    "tr": frozenset(
        """acaba ama ancak bana bazı beni benim bir biri biz bu bunu bunun burada çok çünkü da daha de defa değil diye
        eğer en gibi göre hangi hangisi hem hep her hiç için ile ise işe kadar ki kim mı mi mıdır midir mu mü nasıl ne
        neden nedir nelerdir nerede nereye niçin niye o olan olarak oldu olduğu olması olur olursa ona onu onun sanki
        siz şey şu tüm var ve veya ya yani yok yapabilirim yapılır yarar""".split()
    ),
}
LONGEST_CASE_ENDING = 4
ENGLISH_ENDINGS = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))
TELLING = {
    language: words - {"am", "an", "in", "so", "was", "also", "will", "man", "on", "her", "en", "de", "o"}
    for language, words in STOP_WORDS.items()
}


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case. The Turkish dotted capital becomes a plain i."""
    return tuple(match.group() for match in WORD.finditer(text.replace("İ", "i").lower()))


def language_of(text: str) -> str:
    """`en`, `de` or `tr` by the small words in the text; English where they do not tell."""
    words = words_of(text)
    counts = {language: sum(word in telling for word in words) for language, telling in TELLING.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > counts["en"] else "en"


def _without_case_ending(word: str) -> str:
    """A name as the documents have it: Turkish sets case endings behind an apostrophe ("Go'da", in Go)."""
    name, apostrophe, ending = word.replace("’", "'").partition("'")
    if not apostrophe or ending in ENGLISH_ENDINGS:
        return name + apostrophe + ending
    return ending if len(ending) > LONGEST_CASE_ENDING else name  # "o'clock"


def content_words(text: str, language: str = "") -> tuple[str, ...]:
    """The words that name something, each once; all words where none does ("what is it")."""
    words = tuple(dict.fromkeys(_without_case_ending(word) for word in words_of(text)))
    small = STOP_WORDS.get(language or language_of(text), frozenset()) | STOP_WORDS["en"]
    return tuple(word for word in words if word not in small) or words
