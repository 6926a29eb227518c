"""What a session promises: variables kept, names protected, clocks, failures, restarts, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from baits import Opener, answers, both, native_first, on_the_host

from sandbox import ResourceLimits, Sandbox, SandboxFailure, open_sandbox
from sandbox.deno.worker import remove_orphaned_folders
from sandbox.guest import ahead
from sandbox.worker import ProcessWatch

LIMITS = ResourceLimits(seconds=1, memory=512 << 20)
LARGEST_AT_START = 220 << 20  # of a worker with a short document: 170 MB for pyodide, 27 MB for native
Shared = Callable[..., Sandbox]


def resident_megabytes(process: int, field: str) -> float:
    """What the kernel says of a process's memory: VmRSS is what it has, VmHWM the most that it ever had."""
    (line,) = (line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1_000


def never(pairs: Sequence[tuple[str, str]]) -> list[str]:
    raise AssertionError("the host was asked")


def children() -> set[int]:
    """Living processes whose parent is this one."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.add(int(entry.parent.name))
    return found


def cpu_ticks(worker: int) -> int:
    """The processor time that a process has taken, in ticks of the kernel's clock."""
    fields = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def wait_for_end(worker: int) -> None:
    deadline = time.monotonic() + 5
    while Path(f"/proc/{worker}").exists() and "State:\tZ" not in Path(f"/proc/{worker}/status").read_text():
        if time.monotonic() > deadline:
            os.kill(worker, signal.SIGKILL)  # it would go on for ever
            pytest.fail("the worker lives on")
        time.sleep(0.02)


@both
def test_variables_are_kept(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    assert sandbox.run("kept = [1]\ndef more():\n    kept.append(2)", answers).error is None
    result = sandbox.run("more()\nprint('out')\nkept", answers)
    assert (result.stdout, result.stdout_total, result.value, result.state_lost) == ("out\n", 4, "[1, 2]", False)


@native_first
def test_how_a_pattern_is_written_is_no_output(engine: str, shared: Shared) -> None:
    code = "import warnings\nwarnings.warn('old')\nlen('\\(')"
    result = shared(engine).run(code, answers)
    assert (result.stdout, result.value, result.error) == ("", "2", None)


@both
def test_a_shadowed_builtin_is_a_variable_like_any_other(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.run("sum = 12", answers)
    assert sandbox.run("value = sum\ndel sum\nvalue", answers).value == "12"


@native_first
def test_what_the_host_defines_is_there_again_in_each_snippet_and_each_worker(engine: str, opener: Opener) -> None:
    with opener(engine, LIMITS) as sandbox:
        sandbox.define(
            "import re\ndef find(p): return [m.start() for m in re.finditer(p, context)]\nhidden = 1", ["find"]
        )
        sandbox.load("a needle", [])
        shadowed = sandbox.run("re = 5\nfind = find('needle')\nfind", answers)
        assert shadowed.value == "[2]"
        assert (
            shadowed.stdout
            == "[next time `find` will be what the sandbox offers again: keep yours under another name]\n"
        )
        again = sandbox.run("find('n'), 'hidden' in globals(), re", answers)
        assert (again.value, again.stdout) == ("([2], False, 5)", "")
        assert "line 1, in <module>" in str(sandbox.run("find('(')", answers).error)
        sandbox.run("while True: pass", answers)
        assert sandbox.run("find('e')", answers).value == "[3, 4, 7]"
        with pytest.raises(SandboxFailure, match="comes before every snippet: NameError"):
            sandbox.define("nothing_of_the_kind", [])


def test_what_was_compiled_ahead_is_run_anew_for_each_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_prepared", None)
    own = "made = []\ndef make(): made.append(len(context))\n"
    ahead.prepare(own)
    first: dict[str, Any] = {"context": "abc"}
    second: dict[str, Any] = {"context": "a"}
    ahead.execute(own + "make()", first)
    with monkeypatch.context() as changed:
        changed.setattr(ahead, "_compile", lambda code: compile({"make()": "make()"}[code], "", "exec"))
        ahead.execute(own + "make()", second)
    assert (first["made"], second["made"]) == ([3], [1])
    other: dict[str, Any] = {}
    ahead.execute("alone = 1", other)
    assert other["alone"] == 1 and "made" not in other


@native_first
def test_a_runner_that_fails_is_replaced(engine: str, shared: Shared) -> None:
    sandbox = shared(engine, LIMITS)
    spoil = "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Guest': o._queries = None"
    assert sandbox.run(spoil, answers).error is None
    failed = sandbox.run("1", answers)
    assert failed.state_lost and failed.error is not None and failed.error.startswith("the worker died: AttributeError")
    assert "\n" not in failed.error
    assert sandbox.run("llm_query('p')", answers).value == "'A:p|'"


@native_first
def test_the_same_code_gives_the_same_in_another_worker(engine: str, opener: Opener) -> None:
    code = """
import datetime, os, pickle, random, secrets, time, uuid
from datetime import datetime as moment, timezone
print({'a', 'b', 'needle'}, hash('x'), random.sample(range(99), 5))
print(random.Random().random(), random.SystemRandom().random())
print(uuid.uuid4(), uuid.uuid1(), secrets.token_hex(8), os.urandom(4))
print(time.time(), time.time_ns(), time.ctime(), time.strftime('%F'), time.localtime(), datetime.date.today())
print(moment.now(), moment.now(timezone.utc), moment.utcnow(), repr(moment(2020, 1, 2)))
begun = time.time()
time.sleep(0.01)
while time.time() < begun + 0.02: pass"""
    sane = """
assert uuid.uuid4() != uuid.uuid4() and pickle.loads(pickle.dumps(moment.now())) < moment.now() <= moment.max
assert isinstance(moment.strptime('2020', '%Y').astimezone(timezone.utc) - datetime.timedelta(1), datetime.datetime)"""
    seen = []
    for _ in range(2):
        with opener(engine) as sandbox:
            ran = [sandbox.run(code, answers, now=now) for now in (1_700_000_000.25, 1_700_000_000.25, None)]
            assert not any(result.error for result in ran) and not sandbox.run(sane, answers).error
            seen.append([result.stdout for result in ran])
    assert seen[0][:2] == seen[1][:2] and seen[0][2] != seen[1][2] and seen[0][0] != seen[0][1]
    assert (
        "2023-11-14" in seen[0][0] and "2023" not in seen[0][2] and "datetime.datetime(2020, 1, 2, 0, 0)" in seen[0][0]
    )


@both
def test_characters_outside_the_basic_plane_keep_their_places(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    text = "a\U0001f600b\U00010348c\0d\ud800e\r\nf"
    sandbox.load(text, [(1, "ⅳ", 2, 5)])
    places = sandbox.run(
        "[(i, ord(c)) for i, c in enumerate(context)], context[pages[0][2]:pages[0][3]], pages", answers
    )
    expected = [(i, 0xFFFD if ord(c) == 0xD800 else ord(c)) for i, c in enumerate(text)]
    assert places.value == repr((expected, text[2:5], [(1, "ⅳ", 2, 5)]))


@both
def test_tracebacks_show_the_snippet_and_nothing_else(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.run("import json\ndef read(text):\n    return json.loads(text)", answers)
    error = sandbox.run("x = 1\nread('{')", answers).error
    assert error is not None
    assert '"<snippet>", line 2' in error
    assert "    read('{')" in error
    assert '"<earlier snippet>", line 3, in read' in error
    assert error.splitlines()[-1].startswith("json.decoder.JSONDecodeError: ")
    assert error.count("File ") == 2
    broken = sandbox.run("x = 1\ny = (", answers).error
    assert broken is not None
    assert '"<snippet>", line 2' in broken
    assert "SyntaxError" in broken


@both
def test_sub_queries(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    assert sandbox.run("llm_query('p', 't')", answers).value == "'A:p|t'"
    assert sandbox.run("llm_query(prompt='p', text='é\U0001f600')", answers).value == "'A:p|é\U0001f600'"
    assert sandbox.run("llm_query_batch(['p', ('q', 't'), ['r', 's']])", answers).value == "['A:p|', 'A:q|t', 'A:r|s']"
    assert sandbox.run("llm_query_batch([])", never).value == "[]"
    assert sandbox.run("llm_query('fail')", answers).error.endswith("QueryError: the model said no")  # type: ignore[union-attr]


@both
def test_failed_items_of_a_batch_are_in_their_places(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.run("got = llm_query_batch(['a', 'fail', 'b'])", answers)
    result = sandbox.run("[type(x).__name__ for x in got], isinstance(got[1], Exception), str(got[1])", answers)
    assert result.value == "(['str', 'QueryError', 'str'], True, 'the model said no')"


@both
@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("llm_query(1)", "TypeError: llm_query: prompt must be str, not int"),
        ("llm_query('p', None)", "TypeError: llm_query: text must be str, not NoneType"),
        ("llm_query_batch('one string')", "TypeError: llm_query_batch takes a list"),
        ("llm_query('q' * 400_000, 'x')", "ValueError: llm_query: prompt and text have 400,001 characters"),
        ("llm_query_batch(['q'] * 257)", "ValueError: llm_query_batch takes at most 256 items"),
        ("input()", "EOFError"),
    ],
)
def test_wrong_calls_never_reach_the_host(engine: str, code: str, error: str, shared: Shared) -> None:
    result = shared(engine).run(code, never)
    assert result.error is not None
    assert error in result.error
    assert not result.state_lost


@both
@pytest.mark.parametrize(
    ("item", "error"),
    [
        ("('p', 't', 'u')", "item 1 is not a (prompt, text) pair"),
        ("7", "item 1 is not a (prompt, text) pair"),
        ("('p', b't')", "item 1: text must be str, not bytes"),
        ("'q' * 400_001", "400,001 characters, at most 400,000"),
    ],
)
def test_an_item_that_cannot_be_sent_fails_alone(engine: str, item: str, error: str, shared: Shared) -> None:
    code = f"got = llm_query_batch(['a', {item}, 'b'])\n[type(x).__name__ for x in got], str(got[1])"
    result = shared(engine).run(code, answers)
    assert result.value is not None and result.value.startswith("(['str', 'QueryError', 'str'], ")
    assert error in result.value


@both
def test_the_largest_batch_goes_through(engine: str, shared: Shared) -> None:
    result = shared(engine).run("len(''.join(llm_query_batch([('q', 'é' * 20_000)] * 256)))", answers)
    assert result.value == str(256 * 20_004)


@on_the_host
def test_the_clock_stops_while_the_host_answers(engine: str, opener: Opener) -> None:
    def slow(pairs: Sequence[tuple[str, str]]) -> list[str]:
        time.sleep(0.7)
        return ["ok"]

    with opener(engine, ResourceLimits(seconds=0.5)) as sandbox:
        result = sandbox.run("llm_query('q')", slow)
        assert (result.value, result.state_lost) == ("'ok'", False)
        assert result.seconds < 0.5
        assert sandbox.run("import time\ntime.sleep(0.7)", never).error == "time limit of 0.5 s"


@on_the_host
def test_a_snippet_may_have_less_time_and_then_the_hosts_answers_count(engine: str, opener: Opener) -> None:
    def slow(pairs: Sequence[tuple[str, str]]) -> list[str]:
        time.sleep(0.6)
        return ["ok"]

    with opener(engine, ResourceLimits(seconds=20)) as sandbox:
        result = sandbox.run("while True:\n    pass", never, seconds=0.5)
        assert (result.error, result.state_lost) == ("time limit of 0.5 s", True)
        result = sandbox.run("llm_query('q')\nwhile True:\n    pass", slow, seconds=0.5)
        assert (result.error, result.state_lost) == ("time limit of 0.5 s", True)
        # The bound is of that snippet alone, and those of the sandbox stay as they are.
        assert sandbox.run("import time\ntime.sleep(0.8)\n'done'", never).value == "'done'"
    with opener(engine, ResourceLimits(seconds=0.5)) as sandbox:
        assert sandbox.run("while True:\n    pass", never, seconds=60).error == "time limit of 0.5 s"
    with opener(engine, ResourceLimits(seconds=0.5, seconds_per_million=0.25)) as sandbox:
        sandbox.load("x" * 3_500_000, [])
        assert sandbox.run("while True:\n    pass", never).error == "time limit of 1.25 s"


@on_the_host
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SandboxFailure])
def test_an_exception_of_the_host_comes_out(engine: str, error: type[BaseException], shared: Shared) -> None:
    def broken(pairs: Sequence[tuple[str, str]]) -> list[str]:
        raise error("of the host")

    sandbox = shared(engine)
    sandbox.load("again", [])
    with pytest.raises(error, match="of the host"):
        sandbox.run("try:\n    llm_query('q')\nexcept BaseException:\n    pass", broken)
    assert sandbox.run("context", answers).value == "'again'"


@on_the_host
@pytest.mark.parametrize("reply", [[], ["a", "b"], [None], [b"x"]])
def test_a_query_that_answers_wrongly_is_an_error_of_the_host(engine: str, reply: list[str], shared: Shared) -> None:
    with pytest.raises(TypeError, match="for each of the 1 sub-queries"):
        shared(engine).run("llm_query('q')", lambda pairs: reply)


@native_first
def test_after_a_kill_the_document_is_there_and_the_variables_are_not(engine: str, shared: Shared) -> None:
    sandbox = shared(engine, LIMITS)
    sandbox.load("still here", [(1, "1", 0, 10)])
    sandbox.run("kept = 1", answers)
    result = sandbox.run("print('before')\nwhile True: pass", answers)
    assert (result.error, result.state_lost) == ("time limit of 1 s", True)
    after = sandbox.run("context, pages, 'kept' in globals()", answers)
    assert (after.value, after.state_lost) == ("('still here', [(1, '1', 0, 10)], False)", False)


@on_the_host
def test_a_worker_that_is_shot_between_snippets(engine: str, opener: Opener) -> None:
    before = children()
    with opener(engine, LIMITS) as sandbox:
        sandbox.load("still here", [])
        sandbox.start()
        (worker,) = children() - before
        assert not ProcessWatch(worker, LARGEST_AT_START).is_too_large()
        os.kill(worker, signal.SIGKILL)
        result = sandbox.run("1", answers)
        assert (result.error, result.state_lost) == ("the worker died", True)
        assert sandbox.run("context", answers).value == "'still here'"


@on_the_host
def test_nothing_is_left_behind(engine: str, opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children()
    sandbox = opener(engine, LIMITS)
    sandbox.start()
    assert children() != before
    sandbox.run("while True: pass", answers)
    sandbox.run("1", answers)
    sandbox.close()
    sandbox.close()
    assert children() == before
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SandboxFailure, match="closed"):
        sandbox.run("1", answers)


@on_the_host
def test_a_worker_outlives_the_thread_that_started_it(engine: str, opener: Opener) -> None:
    with opener(engine, LIMITS) as sandbox:
        thread = threading.Thread(target=sandbox.start)
        thread.start()
        thread.join()
        time.sleep(0.3)
        assert sandbox.run("1 + 1", answers).value == "2"


@both
def test_a_worker_ends_with_its_host(engine: str, cache: Path, tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from sandbox import open_sandbox\n"
        f"sandbox = open_sandbox({engine!r}, cache=Path({str(cache)!r})); sandbox.start()\n"
        "print(sandbox._worker._process.pid, flush=True)\n"
        "sandbox.run('while True: pass', None)"
    )
    host = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, text=True
    )
    assert host.stdout is not None
    worker = int(host.stdout.readline())
    begun, deadline = cpu_ticks(worker), time.monotonic() + 20
    while cpu_ticks(worker) < begun + 10 and time.monotonic() < deadline:
        time.sleep(0.02)  # one that still waits for its snippet ends with the pipe, whatever else would end it
    host.kill()
    host.wait()
    host.stdout.close()
    wait_for_end(worker)


BESIDE = """
import os, sys
from sandbox.deno.launcher import run_beside
os._exit(run_beside(os.getppid(), [sys.executable, "-c", sys.argv[1]]))
"""


def test_without_a_kernel_that_does_it_the_launcher_ends_the_worker(tmp_path: Path) -> None:
    """As off Linux: a busy loop that reads no pipe ends with the host that was killed; one that ends says how."""
    launch = [sys.executable, "-c", BESIDE]
    assert subprocess.run([*launch, "raise SystemExit(7)"]).returncode == 7
    number = tmp_path / "pid"
    busy = f"import os\nwith open({str(number)!r}, 'w') as f: f.write(str(os.getpid()))\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", f"import subprocess; subprocess.run({[*launch, busy]!r})"]) as host:
        while not number.exists() or not number.read_text():
            time.sleep(0.02)
        host.kill()
    wait_for_end(int(number.read_text()))


@native_first
def test_a_document_that_does_not_fit_is_an_error(engine: str, opener: Opener) -> None:
    with (
        opener(engine, ResourceLimits(memory=100 << 20)) as sandbox,
        pytest.raises(SandboxFailure, match=r"document \(100 million characters\)"),
    ):
        sandbox.load("x" * 100_000_000, [])
        sandbox.start()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of memory elsewhere")
@both
def test_a_worker_has_one_copy_of_its_document_and_another_one_only_while_it_takes_it(
    engine: str, opener: Opener
) -> None:
    megabytes, before = 40, children()
    with opener(engine, ResourceLimits()) as sandbox:
        sandbox.start()
        (worker,) = children() - before
        empty = resident_megabytes(worker, "VmRSS")
        peak = max(resident_megabytes(worker, "VmHWM"), empty)
        sandbox.load("x" * (megabytes * 1_000_000), [])
        assert sandbox.run("len(context)", answers).value == str(megabytes * 1_000_000)
        assert resident_megabytes(worker, "VmHWM") < peak + 3 * megabytes
        copies = 1.4 if engine == "native" else 3.2  # the memory of WebAssembly grows by a fifth and never shrinks
        assert resident_megabytes(worker, "VmRSS") < empty + copies * megabytes


@both
def test_a_long_document_is_searched(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.load("filler é " * 3_000_000 + "needle", [])
    assert sandbox.run("context.find('needle'), len(context)", answers).value == "(27000000, 27000006)"


@both
def test_the_snippet_is_compiled_by_itself(engine: str, shared: Shared) -> None:
    result = shared(engine).run("def f(x: int): ...\nf.__annotations__['x'] is int", answers)
    assert result.value == "True"


@both
def test_a_recursion_limit_does_not_last(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.run("import sys\nsys.setrecursionlimit(60)", answers)
    assert sandbox.run("sys.getrecursionlimit() > 900", answers).value == "True"


@both
def test_a_subclass_of_str_cannot_lie(engine: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.run("class S(str):\n    def __len__(self): return -9\n    def encode(self, *a): return b'forged'", answers)
    result = sandbox.run("print(S('x'))\nprint(llm_query(S('q'), S('t')))", answers)
    assert (result.stdout, result.stdout_total, result.error) == ("x\nA:q|t\n", 8, None)


@on_the_host
def test_an_interrupt_while_the_snippet_runs(engine: str, shared: Shared) -> None:
    class Interrupt(BaseException):
        pass

    def interrupt(*_signal: object) -> None:
        raise Interrupt

    sandbox = shared(engine)
    sandbox.load("again", [])
    sandbox.start()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(Interrupt):
            sandbox.run("while True: pass", answers)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert sandbox.run("context", answers).value == "'again'"


def test_auto_is_pyodide_and_an_unknown_engine_is_an_error(tmp_path: Path) -> None:
    assert open_sandbox("auto", cache=tmp_path).name == "pyodide"
    with pytest.raises(ValueError, match="choose auto, pyodide or native"):
        open_sandbox("docker", cache=tmp_path)


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    names = [f"ralph-sandbox-{gone.pid}-abc", f"ralph-sandbox-{os.getpid()}-abc", "ralph-sandbox-x-abc", "other"]
    for name in names:
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    remove_orphaned_folders()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
