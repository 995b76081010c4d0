"""General English that turns or keeps a meaning: synonyms, opposites, negations, units. No domain's words."""

from collections.abc import Mapping

from Stemmer import Stemmer

_STEMMER = Stemmer("english")


def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def canonical(word: str) -> str:
    return CANONICAL.get(_stem(word), _stem(word))


# Words of one line say nearly the same in any text. A word stands in one line only.
_SYNONYMS = """
delete remove erase drop wipe discard purge eliminate
start begin launch
use utilize employ usage
allow let permit
create make generate made
show display
need require must requirement necessary mandatory obligatory
fail failure
change modify alter modification
set configure specify define assign
run execute execution ran
call invoke invocation
return yield
choose select pick chosen chose
get fetch retrieve obtain got acquire
folder directory dir
app application
config configuration
stop halt terminate end
check verify validate validation
ensure guarantee
contain include hold held
large big
quick fast
send transmit sent
keep retain preserve kept
multiple several many
each every per
provide offer supply give gave
happen occur arise
describe explain
skip omit
prevent avoid
replace substitute replacement
store save
find locate discover
previous earlier former
limit restrict restriction
combine merge join
separate split divide
type kind
automatic automatically
environment env
repository repo
parameter param argument
command cmd
maximum max
minimum min
information info
reference refer
additional extra further
entire whole
error exception
add append
initial initially
common frequent often
usually typically normally generally
therefore thus hence
though although
different distinct
identical same
view see look
try attempt
build construct built
write written wrote
take taken took
lose lost loss
instead rather
simple easy
option flag
directly straight
authentication authenticate
authorization authorize
identify identification
connect connection
expire expiration expiry
inform notify tell notification
gather collect
computer machine
numeric number
excess excessive
convert transform
aim goal purpose
compatible compatibility
finish complete completion
understand interpret
access reach
guard protect protection
recommend advise suggest
assign allocate
data datum
introduce bring
open browse visit
rely depend
examine inspect
monitor watch observe
detect recognize
affect influence impact
improve enhance
reduce decrease lower diminish
hand pass
copy duplicate
essential crucial vital important
risk danger hazard
suitable appropriate
precise exact
correct proper
latest recent newest
main primary major
demonstrate illustrate
enough sufficient
comprise consist compose
problem issue trouble
website site
answer response reply respond
expose reveal disclose
immediate instant
periodic regular
simultaneous concurrent
cause trigger
wrap surround enclose
calculate compute
evaluate assess
adjust tune adapt
hide conceal
""".strip().splitlines()

CANONICAL: Mapping[str, str] = {
    _stem(word): _stem(line.split()[0]) for line in _SYNONYMS for word in reversed(line.split())
}

# What one sentence has of the left where the other has of the right contradicts it.
_OPPOSITES = """
enable|disable
before until|after
minimum min least|maximum max most
true|false
increase raise grow higher more|decrease reduce shrink lower less fewer
allow permit accept|deny forbid reject prohibit refuse
include|exclude
start begin|stop halt terminate
open|close
first|last
always|never
required mandatory must require|optional
add install insert|remove delete uninstall
ascending|descending
upload|download
above|below
public|private
synchronous|asynchronous
older|newer
earlier|later
success succeed|fail failure
inside within|outside
mutable|immutable
global|local
internal|external
static|dynamic
push|pull
encrypt|decrypt
encode|decode
mount|unmount
attach|detach
connect|disconnect
manual manually|automatic automatically
sensitive|insensitive
parent|child
horizontal|vertical
client|server
read|write
input|output
stateful|stateless
import|export
shorter|longer
slower|faster
stable|unstable experimental
double twice|triple halve half
identical same|different distinct
likely|unlikely
possible|impossible
available|unavailable
supported|unsupported
safe secure|unsafe insecure
valid|invalid
always|sometimes occasionally rarely usually
single|multiple
smaller|larger bigger
slow|fast quick
high|low
visible|invisible hidden
online|offline
lock|unlock
send|receive
source|target destination
frontend|backend
positive|negative
keep|delete
""".strip().splitlines()


def _opposed() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _OPPOSITES:
        left, right = (frozenset(map(canonical, side.split())) for side in line.split("|"))
        for word in left:
            found[word] = found.get(word, frozenset()) | right
        for word in right:
            found[word] = found.get(word, frozenset()) | left
    return found


OPPOSITES: Mapping[str, frozenset[str]] = _opposed()

# These turn what follows into its contrary.
NEGATORS = frozenset(
    "not never no cannot none nor neither without unless except nothing nobody nowhere hardly unable".split()
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
