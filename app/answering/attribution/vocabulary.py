"""General English that turns or frames a meaning: negations, limits, units, small talk. No domain's words."""

from collections.abc import Mapping

from app.answering.attribution.synonyms import canonical

# These turn what follows into its contrary.
NEGATORS = frozenset(
    "not never no cannot none nor neither without unless except nothing nobody nowhere hardly unable unlikely".split()
)
# These say no in other words: they may stand for a negation, but do not ask for one.
DENIALS = frozenset(
    map(
        canonical,
        """unsupported unavailable impossible invalid disabled prevent avoid fail reject refuse forbid forbidden
        prohibit
        prohibited lack ignore deprecated skip exclude excluded deny absent stop unnecessary undefined unknown unset
        empty immutable outside insecure unsafe independent independently regardless discourage incompatible
        instead otherwise unlike rather irrespective isolated bypass""".split(),
    )
)
# "Only" is not said of what the document leaves open.
EXCLUSIVE = frozenset("only solely exclusively merely".split())
EXCLUSIVE_OR_NEAR = EXCLUSIVE | frozenset(
    "just unless except alone sole single limited restricted must until never no not cannot nothing".split()
)
# Of all is not said what is said of some, in front of the same word.
EVERY = frozenset("all every each any always".split())
SOME = frozenset("some certain most many few sometimes usually occasionally".split())
# Of these, what a passage does not do to its subject when the sentence leaves them out.
TURNING = frozenset(
    map(canonical, "ignore disable deprecate unsupported forbidden reject unavailable incompatible".split())
)
# Of these, what a sentence does not say of its own accord.
STRONG = frozenset(
    map(
        canonical,
        """unsupported unavailable impossible invalid disable fail reject refuse forbid prohibit ignore exclude deny
        unnecessary deprecate incompatible bypass lack""".split(),
    )
)
CLAUSE_ENDS = frozenset((",", ";", ":", ".", "!", "?", "|", "(", ")", "—", "–"))
CLAUSE_WORDS = frozenset("but while whereas because if when although though which so and or".split())

NUMBER_WORDS: Mapping[str, str] = {
    word: str(value)
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split(), start=0)
    if word != "one"
}

# A unit's kind and how many of the kind's smallest it is, so that 5 minutes are 300 seconds.
UNITS: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys("ms millisecond milliseconds".split(), ("time", 0.001)),
    **dict.fromkeys("s sec secs second seconds".split(), ("time", 1.0)),
    **dict.fromkeys("m min mins minute minutes".split(), ("time", 60.0)),
    **dict.fromkeys("h hr hrs hour hours".split(), ("time", 3600.0)),
    **dict.fromkeys("d day days".split(), ("time", 86400.0)),
    **dict.fromkeys("week weeks".split(), ("time", 604800.0)),
    **dict.fromkeys("month months".split(), ("month", 1.0)),
    **dict.fromkeys("year years".split(), ("month", 12.0)),
    **dict.fromkeys("b byte bytes".split(), ("size", 1.0)),
    **dict.fromkeys("kb kib ki kilobyte kilobytes".split(), ("size", 1e3)),
    **dict.fromkeys("mb mib mi megabyte megabytes".split(), ("size", 1e6)),
    **dict.fromkeys("gb gib gi gigabyte gigabytes".split(), ("size", 1e9)),
    **dict.fromkeys("tb tib ti terabyte terabytes".split(), ("size", 1e12)),
    **dict.fromkeys("% percent".split(), ("percent", 1.0)),
}
# Words of an answer that frame what it says and say nothing themselves.
FRAMING = frozenset(
    map(
        canonical,
        """example following note also simply just actually basically generally usually typically often let way thing
        make specify provide support include called like several different various particular specific
        possible available
        ensure means however therefore whenever whether additionally furthermore already use need get go
        back come take put
        give keep kept look case work mean everything something anything nothing around such again still even first then
        next after before finally want try help easy easily simple quickly directly own same new good best better well
        part place time kind sort lot many much few little big small long short right left side end point
        fact reason result
        order place instead rather quite very really only both together along across per via based according regarding
        about over under above below greater equal less more most least each every any all whole entire
        full fully currently
        now today later soon yet once always sometimes occasionally early late ago since while during
        until within without
        between among through another other else certain given set let allow enable do done doing happen
        become turn leave
        left say said tell told know known think see seen show shown find found call name user people
        someone anyone person
        need must should would could might may can cannot want able unable ability handle handy useful usefully nice
        merely roughly almost nearly approximately probably likely perhaps maybe""".split(),
    )
)
