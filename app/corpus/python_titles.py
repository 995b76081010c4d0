"""What the pages of docs.python.org say behind the dash of their titles. Not which pages there are."""

_TITLES = """
__future__: Future statement definitions
_thread: Low-level threading API
abc: Abstract Base Classes
argparse: Parser for command-line options, arguments and subcommands
array: Efficient arrays of numeric values
ast: Abstract syntax trees
asyncio: Asynchronous I/O
atexit: Exit handlers
base64: Base16, Base32, Base64, Base85 Data Encodings
bdb: Debugger framework
binascii: Convert between binary and ASCII
bisect: Array bisection algorithm
bz2: Support for bzip2 compression
calendar: General calendar-related functions
cmath: Mathematical functions for complex numbers
cmd: Support for line-oriented command interpreters
code: Interpreter base classes
codecs: Codec registry and base classes
codeop: Compile Python code
collections: Container datatypes
collections.abc: Abstract Base Classes for Containers
colorsys: Conversions between color systems
compileall: Byte-compile Python libraries
concurrent.futures: Launching parallel tasks
configparser: Configuration file parser
contextlib: Utilities for with-statement contexts
contextvars: Context Variables
copy: Shallow and deep copy operations
copyreg: Register pickle support functions
csv: CSV File Reading and Writing
ctypes: A foreign function library for Python
curses: Terminal handling for character-cell displays
curses.ascii: Utilities for ASCII characters
curses.panel: A panel stack extension for curses
dataclasses: Data Classes
datetime: Basic date and time types
dbm: Interfaces to Unix databases
decimal: Decimal fixed-point and floating-point arithmetic
difflib: Helpers for computing deltas
dis: Disassembler for Python bytecode
doctest: Test interactive Python examples
email: An email and MIME handling package
email.charset: Representing character sets
email.contentmanager: Managing MIME Content
email.encoders: Encoders
email.errors: Exception and Defect classes
email.generator: Generating MIME documents
email.header: Internationalized headers
email.headerregistry: Custom Header Objects
email.iterators: Iterators
email.message: Representing an email message
email.mime: Creating email and MIME objects from scratch
email.parser: Parsing email messages
email.policy: Policy Objects
email.utils: Miscellaneous utilities
ensurepip: Bootstrapping the pip installer
enum: Support for enumerations
errno: Standard errno system symbols
faulthandler: Dump the Python traceback
fcntl: The fcntl and ioctl system calls
filecmp: File and Directory Comparisons
fileinput: Iterate over lines from multiple input streams
fnmatch: Unix filename pattern matching
fractions: Rational numbers
ftplib: FTP protocol client
functools: Higher-order functions and operations on callable objects
gc: Garbage Collector interface
getopt: C-style parser for command line options
getpass: Portable password input
gettext: Multilingual internationalization services
glob: Unix style pathname pattern expansion
graphlib: Functionality to operate with graph-like structures
grp: The group database
gzip: Support for gzip files
hashlib: Secure hashes and message digests
heapq: Heap queue algorithm
hmac: Keyed-Hashing for Message Authentication
html: HyperText Markup Language support
html.entities: Definitions of HTML general entities
html.parser: Simple HTML and XHTML parser
http: HTTP modules
http.client: HTTP protocol client
http.cookiejar: Cookie handling for HTTP clients
http.cookies: HTTP state management
http.server: HTTP servers
imaplib: IMAP4 protocol client
importlib: The implementation of import
importlib.metadata: Accessing package metadata
importlib.resources: Package resource reading, opening and access
importlib.resources.abc: Abstract base classes for resources
inspect: Inspect live objects
io: Core tools for working with streams
ipaddress: IPv4/IPv6 manipulation library
itertools: Functions creating iterators for efficient looping
json: JSON encoder and decoder
keyword: Testing for Python keywords
linecache: Random access to text lines
locale: Internationalization services
logging: Logging facility for Python
logging.config: Logging configuration
logging.handlers: Logging handlers
lzma: Compression using the LZMA algorithm
mailbox: Manipulate mailboxes in various formats
marshal: Internal Python object serialization
math: Mathematical functions
mimetypes: Map filenames to MIME types
mmap: Memory-mapped file support
modulefinder: Find modules used by a script
multiprocessing: Process-based parallelism
multiprocessing.shared_memory: Shared memory for direct access across processes
netrc: netrc file processing
numbers: Numeric abstract base classes
operator: Standard operators as functions
optparse: Parser for command line options
os: Miscellaneous operating system interfaces
os.path: Common pathname manipulations
pathlib: Object-oriented filesystem paths
pdb: The Python Debugger
pickle: Python object serialization
pickletools: Tools for pickle developers
pkgutil: Package extension utility
platform: Access to underlying platform's identifying data
plistlib: Generate and parse Apple .plist files
poplib: POP3 protocol client
posix: The most common POSIX system calls
pprint: Data pretty printer
profile: The Python Profilers
pty: Pseudo-terminal utilities
pwd: The password database
py_compile: Compile Python source files
pyclbr: Python module browser support
pydoc: Documentation generator and online help system
pyexpat: Fast XML parsing using Expat
queue: A synchronized queue class
quopri: Encode and decode MIME quoted-printable data
random: Generate pseudo-random numbers
re: Regular expression operations
reprlib: Alternate repr() implementation
resource: Resource usage information
rlcompleter: Completion function for GNU readline
runpy: Locating and executing Python modules
sched: Event scheduler
secrets: Generate secure random numbers for managing secrets
select: Waiting for I/O completion
selectors: High-level I/O multiplexing
shelve: Python object persistence
shlex: Simple lexical analysis
shutil: High-level file operations
signal: Set handlers for asynchronous events
site: Site-specific configuration hook
smtplib: SMTP protocol client
socket: Low-level networking interface
socketserver: A framework for network servers
sqlite3: DB-API 2.0 interface for SQLite databases
ssl: TLS/SSL wrapper for socket objects
stat: Interpreting stat() results
statistics: Mathematical statistics functions
string: Common string operations
stringprep: Internet String Preparation
struct: Interpret bytes as packed binary data
subprocess: Subprocess management
symtable: Access to the compiler's symbol tables
sys: System-specific parameters and functions
sysconfig: Provide access to Python's configuration information
syslog: Unix syslog library routines
tabnanny: Detection of ambiguous indentation
tarfile: Read and write tar archive files
tempfile: Generate temporary files and directories
termios: POSIX style tty control
textwrap: Text wrapping and filling
threading: Thread-based parallelism
time: Time access and conversions
timeit: Measure execution time of small code snippets
tkinter: Python interface to Tcl/Tk
tkinter.colorchooser: Color choosing dialog
tkinter.dnd: Drag and drop support
tkinter.font: Tkinter font wrapper
tkinter.messagebox: Tkinter message prompts
tkinter.scrolledtext: Scrolled Text Widget
tkinter.ttk: Tk themed widgets
token: Constants used with Python parse trees
tokenize: Tokenizer for Python source
tomllib: Parse TOML files
trace: Trace or track Python statement execution
traceback: Print or retrieve a stack traceback
tracemalloc: Trace memory allocations
tty: Terminal control functions
turtle: Turtle graphics
types: Dynamic type creation and names for built-in types
typing: Support for type hints
unicodedata: Unicode Database
unittest: Unit testing framework
unittest.mock: mock object library
urllib: URL handling modules
urllib.error: Exception classes raised by urllib.request
urllib.parse: Parse URLs into components
urllib.request: Extensible library for opening URLs
urllib.robotparser: Parser for robots.txt
uuid: UUID objects according to RFC 9562
venv: Creation of virtual environments
warnings: Warning control
wave: Read and write WAV files
weakref: Weak references
webbrowser: Convenient web-browser controller
wsgiref: WSGI Utilities and Reference Implementation
xml: XML Processing Modules
xml.dom: The Document Object Model API
xml.dom.minidom: Minimal DOM implementation
xml.dom.pulldom: Support for building partial DOM trees
xml.etree.elementtree: The ElementTree XML API
xml.sax: Support for SAX2 parsers
xml.sax.handler: Base classes for SAX handlers
xml.sax.reader: Interface for XML parsers
xml.sax.utils: SAX Utilities
xmlrpc: XMLRPC server and client modules
xmlrpc.client: XML-RPC client access
xmlrpc.server: Basic XML-RPC servers
zipapp: Manage executable Python zip archives
zipfile: Work with ZIP archives
zipimport: Import modules from Zip archives
zlib: Compression compatible with gzip
zoneinfo: IANA time zone support
"""

TITLES = dict(line.split(": ", 1) for line in _TITLES.strip().splitlines())
