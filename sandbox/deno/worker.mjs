// The Deno process of the pyodide engine: boots Python, takes the JavaScript surface away, then serves the host.
//
//   deno run ... worker.mjs <runtime folder> <snapshot file or ""> serve|snapshot
//
// Messages on standard input and output: 4 bytes length of the JSON, 8 bytes length of the blob, JSON, blob. Whatever a
// snippet could reach is bound here or removed before the first snippet; the wall itself is Deno's permissions.

const [folder, snapshotFile, mode] = Deno.args;
const SNAPSHOT_HEADER = 128; // two SHA-256 in hexadecimal, which the host has checked
const parse = JSON.parse, stringify = JSON.stringify;
const readSome = Deno.stdin.readSync.bind(Deno.stdin), writeSome = Deno.stdout.writeSync.bind(Deno.stdout);
const encoder = new TextEncoder(), decoder = new TextDecoder();
const encode = encoder.encode.bind(encoder), decode = decoder.decode.bind(decoder);

// Imported now, because a snippet must not wait for them and the snapshot keeps them; none of them has native code.
const PRELOAD = `
import sys, re, json, collections, math, datetime, _strptime, itertools, functools, string, statistics, textwrap
import random, heapq, bisect, unicodedata, difflib, csv, html, ast, traceback, io, typing, dataclasses, enum, copy
import operator, fractions, decimal, hashlib, base64, time, contextlib, pprint, uuid, urllib.parse, gc, symtable
import linecache, types, builtins, asyncio, inspect, logging
sys.executable = ''
sys.argv = ['']
sys.orig_argv = []
`;
const HARDEN = `
import os, posix, sys
os.urandom(1)  # the runtime finds its source of chance while it still can
def absent(name):
    def call(*args, **options):
        raise PermissionError(name + ': not in the sandbox')
    return call
import _signal, signal
for name in ('system', 'popen', '_exit', 'abort', 'kill', 'killpg', 'raise_signal'):
    for module in (os, posix, _signal, signal):  # they end the interpreter instead of failing
        if hasattr(module, name) or module is posix:
            setattr(module, name, absent(name))
import _pyodide._importhook as hook
hook.jsfinder.jsproxies.clear()
sys.meta_path[:] = [finder for finder in sys.meta_path if 'Js' not in type(finder).__name__]
for name in list(sys.modules):
    if name.split('.')[0] in ('js', 'pyodide_js'):
        sys.modules[name] = None
    if name.split('.')[0] == 'sandbox':
        del sys.modules[name]
`;
// They read and write any memory, and so could forge references to JavaScript objects; nothing here needs them.
const DROPPED = ["_ctypes", "_testcapi", "_testinternalcapi", "_testlimitedcapi", "_testbuffer", "_testclinic",
  "_testclinic_limited", "_xxtestfuzz"];
// Everything that reaches out of the interpreter, or keeps something for the next process.
const REMOVED = new RegExp("^(Deno|process|global|require|Buffer|fetch|Request|Response|WebSocket.*|WebTransport.*" +
  "|EventSource|XMLHttpRequest|Worker|MessageChannel|MessagePort|BroadcastChannel|navigator|Navigator|location|localStorage" +
  "|sessionStorage|Storage|caches|Cache.*|indexedDB|alert|prompt|confirm|close|postMessage|reportError|setImmediate" +
  "|clearImmediate|setTimeout|setInterval|queueMicrotask|name|window|self|WorkerGlobalScope|GPU.*|Image.*|createImageBitmap)$");

function readExactly(size) {
  const data = new Uint8Array(size);
  for (let at = 0; at < size;) {
    const count = readSome(data.subarray(at));
    if (count === null) return null;
    at += count;
  }
  return data;
}

function receive() {
  const header = readExactly(12);
  if (!header) return null;
  const view = new DataView(header.buffer);
  const text = readExactly(view.getUint32(0)), blob = readExactly(Number(view.getBigUint64(4)));
  return [parse(decode(text)), blob];
}

function write(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSome(bytes.subarray(at));
}

function send(meta, blob = new Uint8Array(0)) {
  const text = encode(stringify(meta)), header = new Uint8Array(12 + text.length), view = new DataView(header.buffer);
  view.setUint32(0, text.length);
  view.setBigUint64(4, BigInt(blob.length));
  header.set(text, 12);
  write(header);
  if (blob.length) write(blob);
}

const { loadPyodide } = await import("file://" + encodeURI(folder).replace(/[?#]/g, encodeURIComponent) + "/pyodide.mjs");
const options = {
  indexURL: folder, stdin: () => null, stdout: () => {}, stderr: () => {}, args: [], fullStdLib: false,
  env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0", _: "" },
};
if (mode === "snapshot") options._makeSnapshot = true;
const snapshot = snapshotFile ? Deno.readFileSync(snapshotFile) : null;
if (snapshot) options._loadSnapshot = snapshot.subarray(SNAPSHOT_HEADER);
// Takes modules out of the interpreter's table of those that it has built in, and out of its working copy of it. The
// table is pairs of a name and a function, ended by a name of 0; a dropped one bears the name of one that stays.
function dropBuiltins(module, names) {
  const words = module.HEAPU32, table = words[module._PyImport_Inittab >> 2] >> 2;
  const first = words.slice(table, table + 8);
  let size = 0;
  let stays = 0;
  for (; words[table + size]; size += 2) if (!names.includes(module.UTF8ToString(words[table + size]))) stays = words[table + size];
  for (let at = words.indexOf(first[0]); at >= 0; at = words.indexOf(first[0], at + 1)) {
    if (!first.every((word, n) => words[at + n] === word)) continue;
    for (let entry = at; entry < at + size; entry += 2)
      if (names.includes(module.UTF8ToString(words[entry]))) words[entry] = stays;
  }
}

const [boot] = receive();
const python = await loadPyodide(options);
// It is in the interpreter's memory by now; as a text, which a loop below makes of each value, it would be 80 MB. Its
// own 30 MB are given back by detaching them, for nothing else here would have them collected.
options._loadSnapshot = python._api.config._loadSnapshot = undefined;
snapshot?.buffer.transfer(0);
if (!snapshotFile) {
  python.runPython(PRELOAD);
  dropBuiltins(python._module, DROPPED);
  const loading = python.toPy({ sources: stringify(boot.modules) });
  python.runPython(boot.load + "\nimport json\nload_modules(json.loads(sources))", { globals: loading });
  loading.destroy();
}
if (mode === "snapshot") {
  send({ op: "snapshot" }, python.makeMemorySnapshot());
  Deno.exit(0);
}

let nonce = ""; // of the request being served: tells its messages from those of another; no secret
const hostCall = (meta, blob) => {
  const buffer = blob.getBuffer("u8");
  const data = buffer.data.slice();
  buffer.release();
  const { sizes, whom } = parse(meta);
  send({ op: "call", sizes, whom, nonce }, data);
  return stringify(receive()[0]);
};
// A Python proxy of it must not be a way to Function and the global object.
Object.setPrototypeOf(hostCall, null);
Object.freeze(hostCall);

const session = python.runPython("from sandbox.guest.session import Guest\nGuest")(hostCall, stringify(boot.options));
const run = session.run, load = session.load, define = session.define;
const permissions = ["read", "write", "net", "env", "run", "ffi", "sys", "import"];
const granted = permissions.filter((name) => {
  try { return Deno.permissions.querySync({ name }).state !== "prompt" && Deno.permissions.querySync({ name }).state !== "denied"; }
  catch { return false; }
});
const deno = Deno.version.deno;
python.runPython(HARDEN, { globals: python.toPy({}) });
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (!REMOVED.test(name)) continue;
  try { delete globalThis[name]; } catch { /* made undefined below */ }
  if (name in globalThis) {
    try { Object.defineProperty(globalThis, name, { value: undefined, writable: false, configurable: false }); } catch { /* fixed by Deno */ }
  }
}
// Where the runtime lies names the user whose home that is.
for (const [name, value] of Object.entries(python._api.config)) if (String(value).includes(folder)) python._api.config[name] = "";
Error.stackTraceLimit = 0;
// Emscripten asks it who runs the program, and would not survive its absence.
const zero = Object.freeze(Object.setPrototypeOf(() => 0, null));
const nobody = Object.freeze({ __proto__: null, getuid: zero, getgid: zero, umask: zero });
Object.defineProperty(globalThis, "process", { value: nobody, writable: false, configurable: false });
// Emscripten tells it why the interpreter broke; without one, that it is missing would be the reason.
const mute = () => {};
const silent = Object.freeze({ __proto__: null, log: mute, info: mute, debug: mute, warn: mute, error: mute, trace: mute, assert: mute });
Object.defineProperty(globalThis, "console", { value: silent, writable: false, configurable: false });
send({ op: "ready", deno, granted, nonce });

for (;;) {
  const message = receive();
  if (!message) break;
  const [request, blob] = message;
  nonce = request.nonce;
  if (request.op === "load") {
    let error = null, buffer = null;
    try {
      buffer = python.toPy(blob);
      load(buffer, request.pages);
    } catch (failure) {
      error = String(failure).slice(-300);
    }
    buffer?.destroy?.();
    send({ op: "loaded", error, nonce });
  } else if (request.op === "define") {
    let error;
    try { error = define(request.code, stringify(request.offered)) ?? null; } catch (failure) { error = String(failure).slice(-300); }
    send({ op: "defined", error, nonce });
  } else {
    let result;
    try {
      const { stdout, total, value, error, touched, reached } = parse(run(request.code, stringify(request.watched), stringify(request.now)));
      result = { op: "done", stdout, total, value, error, touched, reached, nonce };
    } catch (failure) { // the interpreter itself is broken
      const lines = String(failure).trim().split("\n"); // the last one tells what Python raised
      result = { op: "fatal", error: (failure.type ? lines.pop() : lines[0]).slice(0, 300), nonce };
    }
    send(result);
    if (result.op === "fatal") break;
  }
}
