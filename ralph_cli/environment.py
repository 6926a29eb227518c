"""What is set outside of the program, as it is written there: variables, `.env`, ralph.toml.

The only reader of the environment. `config` gives the values their meaning.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ralph_cli.core.errors import ConfigError, describe_fault

SETTINGS_FILE = "ralph.toml"

# Variables that most programs know in small letters, too, and prefer so.
_SMALL_NAMES = ("https_proxy", "all_proxy", "no_proxy")


def refuse_plugins() -> None:
    """Have pydantic look for no plugins among all packages that are installed here: that takes as long as to import
    thirty modules, and what it finds sees everything that is validated.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def working_folder() -> Path:
    """The folder in which `.env` and ralph.toml are looked for. Raises ConfigError if it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise ConfigError(f"the working folder is gone: {error}", code="no-folder", hint="cd to another one") from error


def expand_folder(value: Path) -> Path:
    """The folder with `~` resolved; ValueError where it is not known whose home it is."""
    try:
        return value.expanduser()
    except RuntimeError as error:
        raise ValueError(f"{value} cannot be resolved ({error}); write the whole path") from None


def read_variables(environ: Mapping[str, str] | None, folder: Path) -> tuple[dict[str, str], list[str]]:
    """The variables of the environment, before those of `.env`; and messages about lines of that file that set none.

    Those of proxies have one spelling then, and on macOS and Windows the system may know of one.
    """
    real = dict(os.environ if environ is None else environ)
    dotenv, left_out = _read_dotenv(folder)
    system = _system_proxies() if environ is None and sys.platform in ("darwin", "win32") else {}
    variables = {"HTTPS_PROXY": system["https"]} if system.get("https") else {}
    variables |= dotenv | {name: value for name, value in real.items() if value.strip()}
    return variables | {name.upper(): value for name, value in variables.items() if name in _SMALL_NAMES}, left_out


def read_toml(path: Path) -> dict[str, Any]:
    """What a file of settings says; ConfigError if it cannot be read."""
    text = _read_settings_file(path)
    if not text:
        return {}
    import tomllib  # not before there is such a file, as with the libraries below

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        hint = 'write lines such as max_cost = 1.5 or model = "offline", with text in quotes'
        raise ConfigError(f"{path.name} is not TOML: {error}", code="bad-settings-file", hint=hint) from error


def fetch_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a package client needs to fetch the sandbox's runtime: proxies, certificates, its own settings."""
    real = os.environ if environ is None else environ
    wanted = re.compile(r"(?i)(https?_proxy|no_proxy|npm_config_.*|ssl_cert_.*|node_extra_ca_certs|deno_.*|home|path)")
    found = {name: value for name, value in real.items() if wanted.fullmatch(name)}
    # Behind a proxy that signs for others, its certificate is in the machine's store and not among Deno's own.
    return {"DENO_TLS_CA_STORE": "mozilla,system", **found}


def command_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a verifier of the user's gets to see: where programs are, the home folder, the language; never a key."""
    real = os.environ if environ is None else environ
    return {name: real[name] for name in ("PATH", "HOME", "LANG") if name in real}


def _system_proxies() -> dict[str, str]:
    from urllib.request import getproxies

    return getproxies()


def _read_dotenv(folder: Path) -> tuple[dict[str, str], list[str]]:
    """The variables of `.env`, and messages about lines that set none."""
    path = folder / ".env"
    text = "" if path.is_dir() else _read_settings_file(path)  # a folder of that name is often a virtual environment
    if not text:
        return {}, []
    from io import StringIO

    from dotenv import dotenv_values
    from dotenv.parser import parse_stream

    lines = list(parse_stream(StringIO(text)))
    valid = StringIO("".join(line.original.string for line in lines if not line.error))
    left_out = [f"line {line.original.line} of .env is left out: write NAME=VALUE" for line in lines if line.error]
    return {name: value for name, value in dotenv_values(stream=valid).items() if value is not None}, left_out


def _read_settings_file(path: Path) -> str:
    """The text of a file, empty if there is none; ConfigError says why it cannot be read."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        what = f"{path.name} {describe_fault(error)}"
        raise ConfigError(what, code="bad-settings-file", hint=f"settings are read from {path}") from error
