"""Words that say the same or the contrary, in general English. No domain's words, and no negations."""

from collections.abc import Mapping

from Stemmer import Stemmer

_STEMMER = Stemmer("english")


def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def canonical(word: str) -> str:
    """The stem that stands for a word and for its synonyms."""
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
available|unavailable removed
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
