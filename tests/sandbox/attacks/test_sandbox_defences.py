"""Each defence of the sandbox is needed: without it, a test of those that promise it fails."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from removals import Removal, assert_needed, copied_project

pytestmark = pytest.mark.full
WALLS = "tests/sandbox/attacks/test_sandbox_walls.py"
ATTACKS = "tests/sandbox/attacks/test_sandbox_attacks.py"
FORGERIES = "tests/sandbox/attacks/test_sandbox_integrity.py"
SESSION = "tests/sandbox/test_sandbox_session.py"
WORKER = "tests/sandbox/test_sandbox_worker.py"
RUNTIME = "tests/sandbox/test_sandbox_runtime.py"
EACH_ALONE = f"{WALLS}::test_each_wall_of_the_kernel_keeps_its_doors_shut_alone"


REMOVALS = [
    Removal("Deno may make any call", "syscalls.py", "_ENOSYS)\n    return program + _REFUSE",
            "_ENOSYS)\n    return program + _PERMIT", EACH_ALONE),
    Removal("Deno may open files for writing", "syscalls.py", "_TO_WRITE = 0o1 | 0o2 | 0o100 | 0o1000",
            "_TO_WRITE = 0o1000000000", EACH_ALONE),
    Removal("Deno may have signals sent by descriptors", "syscalls.py", "6, 7, 1030)", "6, 7, 8, 1030)", EACH_ALONE),
    Removal("Deno may outlive the host", "syscalls.py", "_PRCTL = (15,", "_PRCTL = (1, 15,", EACH_ALONE),
    Removal("Deno may limit other processes", "syscalls.py", "(prlimit64, _one_of(0, _SELF))", "(prlimit64, _PERMIT)",
            EACH_ALONE),
    Removal("Landlock is not asked to restrict", "kernel.py", "int(LIBC.syscall(LANDLOCK_RESTRICT, ruleset, 0))",
            "0", EACH_ALONE),
    Removal("the private root is not entered", "kernel.py", "os.chroot(folder)", "pass", EACH_ALONE),
    Removal("the private root can be written", "kernel.py", "struct.pack(\"QQQQ\", 1 | _NO_SETUID",
            "struct.pack(\"QQQQ\", 0 | _NO_SETUID", EACH_ALONE),
    Removal("the network is the machine's", "kernel.py", "_NEW_USER | _NEW_NETWORK |", "_NEW_USER |", EACH_ALONE),
    Removal("root keeps its rights", "kernel.py", "LIBC.capset(", "bool(", EACH_ALONE),
    Removal("native may make any call", "syscalls.py", "_none_of(2, _PROT_EXEC))\n    return program + _REFUSE",
            "_none_of(2, _PROT_EXEC))\n    return program + _PERMIT", f"{ATTACKS}::test_nothing_gets_out[armed]"),
    Removal("native sees the environment", "native.py", 'env={"PYTHONHASHSEED": "0"}', "env=dict(os.environ)",
            f"{ATTACKS}::test_nothing_gets_out[native]"),
    Removal("Deno has every permission", "deno/worker.py", '"--deny-import", "--allow-read=."', '"-A"',
            f"{WALLS}::test_the_permissions_alone"),
    Removal("a missing wall is not said", "host.py", "missing = missing_walls(self.walls)", "missing = ()",
            f"{WALLS}::test_a_run_is_told_once_which_walls_are_missing"),
    Removal("required walls may be missing", "host.py", "if self._require_walls:", "if False:",
            f"{WALLS}::test_required_walls_that_are_missing_are_an_error_and_leave_no_worker"),
    Removal("any nonce will do", "host.py", 'if frame.meta.get("nonce") != nonce:', "if False:", FORGERIES),
    Removal("sizes are believed", "host.py", "or sum(sizes) != len(frame.blob)", "", FORGERIES),
    Removal("a count may be any", "host.py", "or not len(stdout) <= total < 1 << 53", "", FORGERIES),
    Removal("a message may have any size", "worker.py", "if text_size > self._bounds.json or",
            "if False and", f"{WORKER}::test_what_is_not_a_message_is_a_violation"),
    Removal("surplus bytes are kept for later", "worker.py", "        if self._buffer:\n", "        if False:\n",
            f"{FORGERIES}::test_the_right_nonce_is_believed"),
    Removal("nobody watches while the host answers", "host.py", "if spell.reached:", "if False:",
            f"{FORGERIES}::test_a_worker_is_watched_while_the_host_has_a_question_of_its_own"),
    Removal("memory is not watched", "worker.py", "if self.watch.is_too_large():", "if False:",
            f"{WORKER}::test_too_much_memory_is_seen"),
    Removal("names are not put back", "guest/names.py", "if table.get(name, self) is not value:", "if False:",
            f"{FORGERIES}::test_forgery_is_not_believed"),
    Removal("a worker whose runner failed is kept", "host.py", "if result.state_lost:", "if False:",
            f"{SESSION}::test_a_runner_that_fails_is_replaced[native]"),
    Removal("the worker outlives the host", "kernel.py", "LIBC.prctl(1, 9, 0, 0, 0)", "LIBC.prctl(3, 0, 0, 0, 0)",
            f"{SESSION}::test_a_worker_ends_with_its_host[native]"),
    Removal("the launcher forgets the host", "deno/launcher.py", "while os.getppid() == parent:", "while True:",
            f"{SESSION}::test_without_a_kernel_that_does_it_the_launcher_ends_the_worker"),
    Removal("any Deno will do", "deno/runtime.py", "            _check_version(found)\n", "            pass\n",
            f"{RUNTIME}::test_a_deno_on_the_path_must_be_new_enough"),
    Removal("any runtime will do", "deno/runtime.py", "if found != expected:", "if False:",
            f"{RUNTIME}::test_an_altered_file_is_refused_by_name"),
    Removal("any snapshot will do", "deno/snapshot.py", ".hexdigest().encode() == expected",
            ".hexdigest().encode() != b''", f"{RUNTIME}::test_what_is_no_snapshot_of_ours"),
]  # fmt: skip


@pytest.fixture(scope="module")
def copy() -> Iterator[Path]:
    with copied_project("sandbox") as folder:
        yield folder


@pytest.mark.parametrize("removal", REMOVALS, ids=lambda removal: removal.name)
def test_a_test_fails_without_it(removal: Removal, copy: Path) -> None:
    within = replace(removal, file=f"sandbox/{removal.file}")
    assert_needed(within, copy, *(["-k", "not pyodide"] if removal.test == FORGERIES else []))
