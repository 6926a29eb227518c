"""README.md cannot lie: its commands are run, its tables are compared with the code."""

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import REAL_CACHE
from settings_table import table, with_table

from ralph_cli.commands import app
from ralph_cli.config import ENVIRONMENT_VARIABLES, OPTIONS, SECRETS, Settings
from ralph_cli.reports.csv import COLUMNS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def block(mark: str) -> str:
    """The fenced block after `<!-- mark -->`."""
    match = re.search(rf"<!-- {mark} -->\n```\w*\n(.*?)\n```", README, re.DOTALL)
    assert match, f"README.md has no block {mark!r}"
    return match.group(1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder that holds the samples and nothing else."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "samples").symlink_to(ROOT / "samples")
    return folder


@pytest.fixture
def user(tmp_path: Path) -> dict[str, str]:
    """The environment of a user without settings, whose cache holds the sandbox's runtime: nothing is fetched."""
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "ralph").symlink_to(REAL_CACHE.resolve())
    return {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}


def run(argv: list[str], folder: Path, user: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=folder, env=user, input="", capture_output=True, text=True, check=False)


def test_the_example_commands_run(
    folder: Path, user: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other in this process; the next test has the process and the engine that users have."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", user["HOME"])
    monkeypatch.delenv("RALPH_CACHE_DIR")
    monkeypatch.setenv("RALPH_SANDBOX", "native")
    for line in block("examples").splitlines():
        command, _, stdin = line.partition(" < ")
        words = shlex.split(command)
        assert words[0] == "ralph"
        given = io.BytesIO(Path(stdin).read_bytes() if stdin else b"")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
        code = app.run(words[1:])
        out, err = capsys.readouterr()
        assert code in (0, 3), (line, code, err)
        assert out.strip(), line
        assert "Traceback" not in err


def test_the_first_command_prints_what_the_readme_shows(folder: Path, user: dict[str, str]) -> None:
    command = block("first-command").rsplit("&& ", 1)[1]
    done = run([sys.executable, "-m", "ralph_cli", *shlex.split(command)[1:]], folder, user)
    assert done.returncode == 0, done.stderr

    def settled(text: str) -> str:
        # What changes from run to run: the folder's name and the seconds.
        return re.sub(
            r"\d{8}-\d{6,9}-qa-([0-9a-f]{8})-[0-9a-f]{6}", r"RUN-\1", re.sub(r"[\d.]+ s,", "N s,", text)
        ).strip()

    assert settled(done.stdout) == settled(block("first-output"))


def test_the_check_of_a_memo_prints_what_the_readme_shows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert app.run(shlex.split(block("check-command"))[1:]) == 2
    assert capsys.readouterr().out.strip() == block("check-output").strip()


def test_the_run_that_is_verified_later_prints_what_the_readme_shows(folder: Path, user: dict[str, str]) -> None:
    script = f'ralph() {{ {shlex.quote(sys.executable)} -m ralph_cli "$@"; }}\n{block("verify")}'
    done = run(["bash", "-c", script], folder, user | {"RALPH_SANDBOX": "native"})
    assert done.returncode == 2, done.stderr

    def settled(text: str) -> str:
        # What changes from run to run: names, times, the seal, the size of the file.
        text = re.sub(r"\d{8}-\d{6,9}-qa-([0-9a-f]{8})-[0-9a-f]{6}", r"RUN-\1", text)
        text = re.sub(r"begun [\dTZ:.-]+:", "begun THEN:", re.sub(r"seal [0-9a-f]{64}", "seal SEAL", text))
        return re.sub(
            r"(\d+) events, [\d,]+ bytes", r"\1 events, SIZE bytes", re.sub(r"[\d.]+ s,", "N s,", text)
        ).strip()

    shown = done.stdout[done.stdout.index("run.zip: ") :]
    assert settled(shown) == settled(block("verify-output"))


def test_the_python_example_runs(folder: Path, user: dict[str, str]) -> None:
    done = run([sys.executable, "-c", block("python")], folder, user)
    assert done.returncode == 0 and done.stdout.startswith("page "), done.stderr


def test_the_loop_example_runs() -> None:
    done = subprocess.run([sys.executable, "-c", block("python-loop")], capture_output=True, text=True, check=False)
    assert done.stdout == "The capital of France is Paris. completion 2\n", done.stderr


def test_the_table_of_settings_is_made_from_the_settings() -> None:
    assert with_table(README) == README, "run: python tests/support/settings_table.py"
    assert with_table(README.replace("| `max_steps`", "| `max_stops`")) == README
    with pytest.raises(ValueError, match="no place"):
        with_table("")


def test_the_table_of_settings_has_every_setting_and_variable_and_no_key() -> None:
    cells = [line.split("|")[1:-1] for line in table().splitlines()][2:]
    assert [re.findall(r"^ `(\w+)`", name) for name, *_ in cells] == [
        [name] if name not in SECRETS else [] for name in Settings.model_fields
    ]
    assert all(option.text in row[3] and len(row) == 4 for option, row in zip(OPTIONS.values(), cells, strict=True))
    variables = set(re.findall(r"`([A-Z][A-Z_]+)`", table()))
    assert variables == {name for names in ENVIRONMENT_VARIABLES.values() for name in names}


def test_the_table_of_exit_codes_is_the_code() -> None:
    table = README.split("## Exit codes")[1].split("\n## ")[0]
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    known = {app.ACCEPTED, app.ERROR, app.NOT_ACCEPTED, app.ABSENT, app.BUDGET, app.INTERRUPTED, app.BROKEN_PIPE}
    assert codes == known


def test_the_commands_of_the_table_exist(capsys: pytest.CaptureFixture[str]) -> None:
    table = README.split("## Commands")[1].split("\n## ")[0]
    for command in re.findall(r"^\| `ralph ([a-z ]+?)(?: [A-Z\[].*?)?` \|", table, re.MULTILINE):
        assert app.run([*command.split(), "--help"]) == 0, command
    assert "Usage" in capsys.readouterr().out


def test_env_example_names_only_variables_that_are_read() -> None:
    known = {name for names in ENVIRONMENT_VARIABLES.values() for name in names}
    text = (ROOT / ".env.example").read_text("utf-8")
    assert set(re.findall(r"^#? ?([A-Z_]+)=", text, re.MULTILINE)) <= known


def test_the_columns_of_the_csv_are_those_named() -> None:
    told = README.split("The columns of `--csv`: ")[1].split(". `verdict`")[0]
    assert tuple(re.findall(r"`([a-z0-9_]+)`", told)) == COLUMNS
