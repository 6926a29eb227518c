# ruff: noqa: E501 - a row of a table is a line
"""Attempts to get out of the sandbox: each prints LEAK and its evidence if it thinks that it has.

Words in @AT@ signs are replaced with real baits: @SECRET@ a file with a secret, @DIR@ its folder, @OUT@ a path that must
not come into being, @PORT@ a loopback server, @SOCKET@ an abstract socket's name, @PPID@ the tests' process.
"""

from __future__ import annotations

from dataclasses import dataclass

PRELUDE = "def leak(evidence):\n    print('LEAK:', str(evidence)[:200])\n"


@dataclass(frozen=True, slots=True)
class Attack:
    """`virtual`: the attempt may succeed inside the interpreter's own memory; only the host's side counts."""

    name: str
    code: str
    virtual: bool = False


def _attacks(*rows: tuple[str, str], virtual: bool = False) -> list[Attack]:
    return [Attack(name, code, virtual) for name, code in rows]


FILES = _attacks(
    ("open a system file", "leak(open('/etc/passwd').read()[:40])"),
    ("open the secret", "leak(open('@SECRET@').read())"),
    ("os.open", "import os\nleak(os.read(os.open('@SECRET@', 0), 40))"),
    ("pathlib", "from pathlib import Path\nleak(Path('@SECRET@').read_text())"),
    ("io.FileIO", "import io\nleak(io.FileIO('@SECRET@').read())"),
    ("own environ in proc", "leak(open('/proc/self/environ', 'rb').read()[:80] or 1 / 0)"),
    ("parent's environ in proc", "leak(open('/proc/@PPID@/environ', 'rb').read()[:80])"),
    ("parent's memory map", "leak(open('/proc/@PPID@/maps').read()[:80])"),
    ("list the bait folder", "import os\nleak(os.listdir('@DIR@'))"),
    ("scan the bait folder", "import os\nleak([entry.name for entry in os.scandir('@DIR@')])"),
    ("stat the secret", "import os\nleak(os.stat('@SECRET@').st_size)"),
    ("glob for it", "import glob\nfound = glob.glob('@DIR@/*')\nassert found\nleak(found)"),
    ("import by path", "import importlib.util as u\ns = u.spec_from_file_location('m', '@DIR@/hostmod.py')\n"
     "m = u.module_from_spec(s)\ns.loader.exec_module(m)\nleak(m.SECRET)"),
    ("import through sys.path", "import sys\nsys.path.append('@DIR@')\nimport hostmod\nleak(hostmod.SECRET)"),
    ("import a zip", "import zipimport\nleak(zipimport.zipimporter('@DIR@/hostmod.zip').load_module('hostmod').SECRET)"),
    ("linecache", "import linecache\nlines = linecache.getlines('@SECRET@')\nassert lines\nleak(lines)"),
    ("fileinput", "import fileinput\nleak(list(fileinput.input('@SECRET@')))"),
    ("a loader found among subclasses", "for kind in object.__subclasses__():\n    if kind.__name__ == 'FileLoader':\n"
     "        leak(kind('x', '@SECRET@').get_data('@SECRET@'))"),
    ("codecs.open", "import codecs\nleak(codecs.open('@SECRET@').read())"),
    ("a link to the secret", "import os\nos.symlink('@SECRET@', '@OUT@')\nleak(open('@OUT@').read())"),
    ("descriptors left open", "import os\nfound = []\nfor n in range(3, 64):\n    try:\n        os.fstat(n)\n"
     "        found.append(n)\n    except OSError:\n        pass\nassert found\nleak(found)"),
    ("mmap of a file", "import mmap, os\nleak(mmap.mmap(os.open('@SECRET@', 0), 0, prot=mmap.PROT_READ)[:20])"),
    ("sqlite file", "import sqlite3\nsqlite3.connect('@OUT@').execute('create table t(x)')\nleak('made')"),
)  # fmt: skip

WRITES = _attacks(
    ("write a file", "open('@OUT@', 'w').write('x')\nleak(open('@OUT@').read())"),
    ("make the folder, then write", "import os\nos.makedirs(os.path.dirname('@OUT@'), exist_ok=True)\n"
     "open('@OUT@', 'w').write('x')\nleak('wrote')"),
    ("make a folder", "import os\nos.mkdir('@OUT@')\nleak('made')"),
    ("write into tmp", "open('/tmp/' + '@OUT@'.rsplit('/', 1)[1], 'w').write('x')\nleak('wrote')"),
    ("tempfile", "import tempfile\nf = tempfile.NamedTemporaryFile(delete=False)\nf.write(b'x')\nleak(f.name)"),
    ("remove the secret", "import os\nos.remove('@SECRET@')\nleak('removed')"),
    ("rename the secret", "import os\nos.rename('@SECRET@', '@OUT@')\nleak('renamed')"),
    ("change its mode", "import os\nos.chmod('@SECRET@', 0o777)\nleak('changed')"),
    ("ignore signals", "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
     "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nleak('ignored')"),
    ("list the root", "import os\nleak(os.listdir('/'))"),
    ("executable memory", "import mmap\n"
     "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\nleak('rwx')"),
    ("a library through dlopen", "import _ctypes\nleak(_ctypes.dlopen('libc.so.6', 2))"),
    virtual=True,
)  # fmt: skip

PROCESSES = _attacks(
    ("environment", "import os\nleak(os.environ['CANARY_API_KEY'])"),
    ("environment, second door", "import os\nleak(os.environb[b'CANARY_API_KEY'])"),
    ("environment of posix", "import posix\nleak(posix.environ[b'CANARY_API_KEY'])"),
    ("system", "import os\nassert os.system('echo x > @OUT@') == 0\nleak('ran')"),
    ("posix.system", "import posix\nassert posix.system('echo x > @OUT@') == 0\nleak('ran')"),
    ("popen", "import os\nleak(os.popen('id').read() or 1 / 0)"),
    ("subprocess", "import subprocess\nleak(subprocess.check_output(['id']))"),
    ("the C half of subprocess", "import os, _posixsubprocess as p\nr, w = os.pipe()\n"
     "leak(p.fork_exec(['/bin/true'], [b'/bin/true'], True, (w,), None, None, -1, -1, -1, -1, -1, -1, r, w, False, False, -1,"
     " None, None, None, -1, None, True))"),
    ("fork", "import os\npid = os.fork()\nif pid == 0:\n    os._exit(0)\nleak(pid)"),
    ("forkpty", "import os\nleak(os.forkpty())"),
    ("posix_spawn", "import os\nleak(os.posix_spawn('/bin/true', ['true'], {}))"),
    ("multiprocessing", "import multiprocessing as m\nm.Process(target=print).start()\nleak('started')"),
    ("Popen found among subclasses", "for kind in object.__subclasses__():\n    if kind.__name__ in ('_wrap_close', 'Popen'):\n"
     "        leak(kind.__init__.__globals__['popen']('id').read() or 1 / 0)"),
    ("signal the parent", "import os\nos.kill(@PPID@, 0)\nleak('could')"),
    ("signal process 1", "import os\nos.kill(1, 0)\nleak('could')"),
    ("signal the group", "import os\nos.killpg(@PPID@, 0)\nleak('could')"),
    ("raise a resource limit", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nleak('raised')"),
    ("libc system", "import ctypes\nassert ctypes.CDLL(None).system(b'echo x > @OUT@') == 0\nleak('ran')"),
    ("libc open", "import ctypes\nc = ctypes.CDLL(None)\nfd = c.open(b'@SECRET@', 0)\nassert fd >= 0\n"
     "b = ctypes.create_string_buffer(40)\nc.read(fd, b, 39)\nleak(b.value)"),
    ("libc ptrace", "import ctypes\nassert ctypes.CDLL(None).ptrace(16, @PPID@, 0, 0) == 0\nleak('attached')"),
    ("host name", "import os\nname = os.uname().nodename\nassert name not in ('emscripten', '(none)', '')\nleak(name)"),
    ("command line", "import sys\nassert any('/' in x for x in [*sys.argv, *sys.orig_argv])\nleak(sys.orig_argv)"),
    ("paths of this machine", "import sys\nfound = [x for x in [*sys.path, sys.executable, sys.prefix] if '@HOME@' in x]\n"
     "assert found\nleak(found)"),
    ("paths in code objects", "import json, re\nnames = [f.__code__.co_filename for f in (json.dumps, re.compile)]\n"
     "assert any(n.startswith('/') and 'zip' not in n and '/lib/python3.14/' not in n for n in names)\nleak(names)"),
    ("install a package", "import micropip\nleak(micropip)"),
)  # fmt: skip

NETWORK = _attacks(
    ("connect", "import socket\ns = socket.create_connection(('127.0.0.1', @PORT@), 2)\n"
     "s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')\nleak(s.recv(20))"),
    ("connect by name", "import socket\nleak(socket.create_connection(('localhost', @PORT@), 2))"),
    ("urllib", "import urllib.request\nleak(urllib.request.urlopen('http://127.0.0.1:@PORT@/', timeout=3).read())"),
    ("http.client", "import http.client\nc = http.client.HTTPConnection('127.0.0.1', @PORT@, timeout=3)\n"
     "c.request('GET', '/')\nleak(c.getresponse().status)"),
    ("abstract socket", "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0@SOCKET@')\nleak('connected')"),
    ("datagram", "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
     "assert s.sendto(b'x', ('127.0.0.1', @PORT@)) and s.getsockname()[1] and 'emscripten' not in __import__('sys').platform\n"
     "leak('sent')"),
    ("name lookup", "import socket\nfound = socket.gethostbyname('example.com')\n"
     "assert not found.startswith('172.29.')\nleak(found)"),  # Emscripten answers every name with such an address
    ("listen", "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\n"
     "assert s.getsockname()[1]\nleak(s.getsockname())"),
)  # fmt: skip

_CALL = "c = llm_query.__self__._host_call\n"
GUEST = _attacks(
    ("a call with another method", _CALL + "c('{\"op\": \"done\", \"sizes\": [1, 1], \"stdout\": \"FORGED\"}', b'ab')"),
    ("a call that names a file", _CALL + "c('{\"method\": \"read_file\", \"sizes\": [11]}', b'/etc/passwd')\nleak('accepted')"),
    ("JavaScript behind the host call", _CALL + "leak(c.constructor)"),
    ("JavaScript through its prototype", _CALL + "leak(getattr(c, '__proto__').constructor)"),
    ("JavaScript through call", _CALL + "leak(c.call.constructor)"),
    ("every JavaScript object in memory", "import gc\nfrom pyodide.ffi import JsProxy\n"
     "found = [o for o in gc.get_objects() if isinstance(o, JsProxy) and hasattr(o, 'constructor')]\n"
     "for o in found:\n    leak(o.constructor.constructor('return typeof globalThis')())"),
    ("the worker's own frames", "import sys\nframe = sys._getframe()\nwhile frame:\n"
     "    for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):\n"
     "        if '@EMOH@'[::-1] in repr(value)[:10000]:\n            leak(repr(value))\n    frame = frame.f_back"),
)  # fmt: skip

_JS = "from pyodide.code import run_js\n"
_SYNC = "from pyodide.ffi import run_sync, to_js\n"
_FUNCTION = (
    "import _pyodide._importhook as hook\ng = hook.jsfinder.jsproxies['js']\n"  # the global object, if it is there
)
JAVASCRIPT = _attacks(
    ("import js", "import js\nleak(js)"),
    ("import pyodide_js", "import pyodide_js\nleak(pyodide_js)"),
    ("read a file", "import js\nleak(js.Deno.readTextFileSync('@SECRET@'))"),
    ("environment", "import js\nleak(js.Deno.env.toObject())"),
    ("command", "import js\nleak(js.Deno.Command.new('id').outputSync())"),
    ("foreign library", "import js\n" + _SYNC + "leak(js.Deno.dlopen('libc.so.6', to_js({})))"),
    ("connect", "import js\n" + _SYNC + "leak(run_sync(js.Deno.connect(to_js({'port': @PORT@}))))"),
    ("fetch", "import js\n" + _SYNC + "leak(run_sync(js.fetch('http://127.0.0.1:@PORT@/')).status)"),
    ("fetch a file", "import js\n" + _SYNC + "leak(run_sync(js.fetch('file://@SECRET@')))"),
    ("run_js", _JS + "leak(run_js('1 + 1'))"),
    ("process.env", _JS + "leak(run_js('process.env.CANARY_API_KEY'))"),
    ("Function constructor", "import js\nleak(js.Object.constructor('return typeof Deno')())"),
    ("built-in fs", _JS + "leak(run_js(\"process.getBuiltinModule('node:fs').readFileSync('@SECRET@', 'utf8')\"))"),
    ("built-in child_process", _JS + "leak(run_js(\"process.getBuiltinModule('node:child_process').execSync('id')\"))"),
    ("node:net", _JS + "run_js(\"import('node:net').then(n => n.connect(@PORT@, '127.0.0.1'))\")"),
    ("node:http", _JS + "run_js(\"import('node:http').then(n => n.get('http://127.0.0.1:@PORT@/'))\")"),
    ("node:fs promise", _JS + "run_js(\"import('node:fs').then(f => f.writeFileSync('@OUT@', 'x'))\")"),
    ("import a data module", _JS + _SYNC + "leak(run_sync(run_js(\"import('data:text/javascript,export default 1')\")))"),
    ("import a file", _JS + _SYNC + "leak(run_sync(run_js(\"import('file://@DIR@/x.mjs')\")).default)"),
    ("import from the network", _JS + _SYNC + "leak(run_sync(run_js(\"import('http://127.0.0.1:@PORT@/x.mjs')\")))"),
    ("fetch and forget", "import js\njs.fetch('http://127.0.0.1:@PORT@/forget')\nleak('sent')"),
    ("worker with more permissions", _JS + "leak(run_js(\"new Worker('data:text/javascript,1', {type: 'module'})\"))"),
    ("localStorage", "import js\njs.localStorage.setItem('a', '1')\nleak(js.localStorage.getItem('a'))"),
    ("caches", _JS + "run_js(\"caches.open('x').then(c => c.put('http://a/b', new Response('p')))\")\nleak('kept')"),
    ("ask for a permission", "import js\nleak(js.Deno.permissions.requestSync({'name': 'read'}).state)"),
    ("Deno internals", _JS + "leak(run_js('Object.keys(Deno[Deno.internal].core.ops).length'))"),
    ("process ids and paths", _JS + "leak(run_js('[Deno.pid, Deno.ppid, Deno.execPath()].join()'))"),
    ("mount the host", "import pyodide_js\nf = pyodide_js.FS\nf.mkdir('/h')\n"
     "f.mount(f.filesystems.NODEFS, {'root': '/'}, '/h')\nleak(open('/h@SECRET@').read())"),
    ("script through Emscripten", "import ctypes\nc = ctypes.CDLL(None)\n"
     "c.emscripten_run_script_string.restype = ctypes.c_char_p\nleak(c.emscripten_run_script_string(b'typeof Deno'))"),
    ("ctypes by its name", "import ctypes\nleak(ctypes.CDLL(None))"),
    ("ctypes as a built-in", "import importlib.machinery as m, _imp\nleak(_imp.create_builtin(m.ModuleSpec('_ctypes', m.BuiltinImporter)).dlsym)"),
    ("memory through a test module", "import _testinternalcapi, _testcapi\nleak(_testcapi)"),
    ("where the runtime lies", "import _pyodide_core as core, gc\nfrom pyodide.ffi import JsProxy\n"
     "for o in gc.get_objects():\n    if isinstance(o, JsProxy) and '@HOME@' in str(getattr(o, 'stack', '')): leak(o.stack)\n1 / 0"),
    ("load a binary file", "import pyodide_js\n" + _SYNC + "leak(run_sync(pyodide_js._api.loadBinaryFile('@SECRET@')))"),
    ("the import hook's modules", "import _pyodide._importhook as hook\nleak(list(hook.jsfinder.jsproxies) or 1 / 0)"),
    ("the global object's Deno", _FUNCTION + "leak(g.Deno)"),
    ("the global object's eval", _FUNCTION + "leak(g.eval('1'))"),
    ("the file system's API", "import _pyodide._importhook as hook\nleak(hook.jsfinder.jsproxies['pyodide_js'].FS)"),
    ("register a module again", "import pyodide\npyodide.ffi.register_js_module('x', {})\nimport x\nleak(x)"),
    ("core module", "import _pyodide_core as core\nleak(core.js)"),
    ("to_js and its constructor", _SYNC + "leak(to_js([1]).constructor.constructor('return Deno')())"),
    ("create_proxy and this", "from pyodide.ffi import create_proxy\nseen = []\n"
     "p = create_proxy(lambda this, *a: seen.append(str(this)), capture_this=True)\n"
     "p.constructor.constructor('return this')()\nleak(seen)"),
    ("pyodide.http", "from pyodide.http import open_url\nleak(open_url('http://127.0.0.1:@PORT@/').read())"),
    ("pyfetch", "from pyodide.http import pyfetch\n" + _SYNC + "leak(run_sync(pyfetch('http://127.0.0.1:@PORT@/')).status)"),
    ("WebSocket", "import js\nleak(js.WebSocket.new('ws://127.0.0.1:@PORT@/'))"),
)  # fmt: skip

# Numbers of x86_64. On Pyodide `syscall` does not exist; on native it is tried with ctypes handed to the attacker.
SYSCALLS = [
    Attack(
        f"system call {name}",
        "import ctypes\nc = ctypes.CDLL(None, use_errno=True)\n"
        f"assert c.syscall({number}, {arguments}) >= 0, ctypes.get_errno()\nleak('done')",
    )
    for name, number, arguments in (
        ("socket", 41, "2, 1, 0"), ("open", 2, "b'@SECRET@', 0, 0"), ("openat", 257, "-100, b'@SECRET@', 0, 0"),
        ("openat2", 437, "-100, b'@SECRET@', bytes(24), 24"), ("clone", 56, "17, 0, 0, 0, 0"),
        ("clone3", 435, "bytes(88), 88"), ("fork", 57, "0"), ("vfork", 58, "0"),
        ("execve", 59, "b'/bin/true', 0, 0"), ("execveat", 322, "-100, b'/bin/true', 0, 0, 0"),
        ("kill", 62, "@PPID@, 0"), ("memfd_create", 319, "b'x', 0"), ("io_uring_setup", 425, "4, bytes(120)"),
        ("unshare", 272, "0x10000000"), ("process_vm_readv", 310, "@PPID@, 0, 0, 0, 0, 0"),
        ("ptrace", 101, "16, @PPID@, 0, 0"), ("bpf", 321, "0, 0, 0"), ("userfaultfd", 323, "1"),
        ("mount", 165, "b'none', b'/', b'tmpfs', 0, 0"), ("prctl dumpable", 157, "4, 1, 0, 0, 0"),
        ("keyctl", 250, "0, -3, 0"), ("perf_event_open", 298, "0, 0, -1, -1, 0"),
        ("symlink", 88, "b'@SECRET@', b'@OUT@'"), ("mkdir", 83, "b'@OUT@', 0o777"),
        ("mprotect exec", 10, "ctypes.addressof(ctypes.create_string_buffer(8192)) & ~4095, 4096, 7"),
        ("mmap exec", 9, "0, 4096, 7, 0x22, -1, 0"), ("pidfd_open", 434, "@PPID@, 0"),
        ("pidfd_getfd", 438, "1, 1, 0"), ("prlimit64", 302, "0, 9, 0, 0"), ("shmget", 29, "1234, 4096, 0o1600"),
        ("tgkill", 234, "@PPID@, @PPID@, 0"), ("ioctl TIOCSTI", 16, "0, 0x5412, b'x'"),
        ("fcntl pipe size", 72, "1, 1031, 4096"), ("name_to_handle_at", 303, "-100, b'@SECRET@', 0, 0, 0"),
        ("setns", 308, "0, 0"), ("chroot", 161, "b'/'"), ("x32 getpid", "0x40000000 | 39", "0"),
    )
]  # fmt: skip

MORE = _attacks(
    ("a folder by its descriptor", "import os\nd = os.open('@DIR@', 0)\nleak(os.read(os.open('secret.txt', 0, dir_fd=d), 40))"),
    ("walk the tree", "import os\nfound = [n for _, _, names in os.walk('@DIR@') for n in names]\nassert found\nleak(found)"),
    ("what a link points to", "import os\nto = os.readlink('/proc/self/exe')\nassert 'this.program' not in to\nleak(to)"),
    ("copy with shutil", "import shutil\nshutil.copy('@SECRET@', '@OUT@')\nleak('copied')"),
    ("a zip file", "import zipfile\nleak(zipfile.ZipFile('@DIR@/hostmod.zip').read('hostmod.py'))"),
    ("gzip", "import gzip\nleak(gzip.open('@SECRET@').fileobj.read())"),
    ("a module run by path", "import runpy\nleak(runpy.run_path('@DIR@/hostmod.py')['SECRET'])"),
    ("data of a package", "import pkgutil, sys\nsys.path.insert(0, '@DIR@')\nfound = pkgutil.get_data('hostmod', 'secret.txt')\nassert found\nleak(found)"),
    ("a settings file", "import configparser\nc = configparser.ConfigParser()\nassert c.read('@SECRET@')\nleak(c)"),
    ("an entity of XML", "import xml.etree.ElementTree as e\n"
     "leak(e.fromstring('<!DOCTYPE a [<!ENTITY x SYSTEM \"file://@SECRET@\">]><a>&x;</a>').text or 1 / 0)"),
    ("a database attached", "import sqlite3\nsqlite3.connect(':memory:').execute(\"attach '@OUT@' as b\").execute('create table b.t(x)')"),
    ("a database read", "import sqlite3\nleak(sqlite3.connect('file:@SECRET@?mode=ro', uri=True).execute('pragma schema_version').fetchone() and 1 / 0)"),
    ("an extension of a database", "import sqlite3\nc = sqlite3.connect(':memory:')\nc.enable_load_extension(True)\nc.load_extension('@DIR@/x')\nleak('loaded')"),
    ("a log file", "import logging\nh = logging.FileHandler('@OUT@')\nh.emit(logging.makeLogRecord({'msg': 'x'}))"),
    ("a shelf", "import shelve\nshelve.open('@OUT@')['a'] = 1"),
    ("a temporary file beside it", "import tempfile\nleak(tempfile.mkstemp(dir='@DIR@'))"),
    ("compile a file", "import py_compile\nleak(py_compile.compile('@DIR@/hostmod.py', cfile='@OUT@', doraise=True))"),
    ("a named pipe", "import os\nos.mkfifo('@OUT@')"),
    ("a hard link", "import os\nos.link('@SECRET@', '@OUT@')"),
    ("cut it", "import os\nos.truncate('@SECRET@', 0)"),
    ("its times", "import os\nos.utime('@SECRET@', (1, 1))\nleak('changed')"),
    ("its attributes", "import os\nos.setxattr('@SECRET@', 'user.a', b'b')\nleak('changed')"),
    ("its owner", "import os\nos.chown('@SECRET@', 1, 1)\nleak('changed')"),
    ("a memory file run", "import os\nfd = os.memfd_create('x')\nleak(fd)"),
    ("another root", "import os\nos.chroot('@DIR@')\nleak(open('/secret.txt').read())"),
    ("another working folder", "import os\nos.chdir('@DIR@')\nleak(open('secret.txt').read())"),
    ("another user", "import os\nos.setuid(12345)\nleak('became')"),
    ("a terminal", "import pty\nleak(pty.fork())"),
    ("signal everybody", "import os\nos.kill(-1, 0)\nleak('could')"),
    ("signal by descriptor", "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(@PPID@), 0)\nleak('could')"),
    ("limits of the parent", "import resource\nresource.prlimit(@PPID@, resource.RLIMIT_CPU, (1, 1))\nleak('set')"),
    ("priority of the parent", "import os\nos.setpriority(os.PRIO_PROCESS, @PPID@, 19)\nleak('set')"),
    ("processors of the parent", "import os\nos.sched_setaffinity(@PPID@, {0})\nleak('set')"),
    ("code for the parent", "import sys\nsys.remote_exec(@PPID@, '@DIR@/hostmod.py')\nleak('sent')"),
    ("namespaces of its own", "import os\nos.unshare(os.CLONE_NEWUSER)\nleak('new')"),
    ("another interpreter", "import _interpreters as i\nn = i.create()\ni.exec(n, 'open(\"@OUT@\", \"w\").write(\"x\")')"),
    ("a program of asyncio", "import asyncio\nasync def f():\n    p = await asyncio.create_subprocess_exec('id', stdout=-1)\n"
     "    leak(await p.communicate())\nasyncio.run(f())"),
    ("a connection of asyncio", "import asyncio\nasync def f():\n    leak(await asyncio.open_connection('127.0.0.1', @PORT@))\nasyncio.run(f())"),
    ("a server of asyncio", "import asyncio\nasync def f():\n    leak((await asyncio.start_server(print, '127.0.0.1', 0)).sockets[0].getsockname())\nasyncio.run(f())"),
    ("a file by its address", "import urllib.request\nleak(urllib.request.urlopen('file://@SECRET@').read())"),
    ("a browser", "import webbrowser\nassert webbrowser.open('http://127.0.0.1:@PORT@/')\nleak('opened')"),
    ("packets of the kernel", "import socket\nleak(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).bind((0, 0)))"),
    ("a thread of the C library", "import _thread\nleak(_thread.start_new_thread(print, ()))"),
    ("the frames of the runner", "import sys\nf = sys._getframe()\nwhile f.f_back: f = f.f_back\n"
     "found = [v for v in f.f_globals.values() if '@EMOH@'[::-1] in repr(v)[:9999]]\nassert found\nleak(found)"),
    ("a finder of modules put back", "import sys, importlib.machinery as m\nsys.meta_path.append(m.PathFinder)\n"
     "sys.path_hooks.append(m.FileFinder.path_hook((m.SourceFileLoader, ['.py'])))\nsys.path.append('@DIR@')\nimport hostmod\nleak(hostmod.SECRET)"),
)  # fmt: skip

PYTHON = [*FILES, *WRITES, *PROCESSES, *NETWORK, *GUEST, *MORE]
