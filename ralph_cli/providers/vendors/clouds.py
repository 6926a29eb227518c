"""The clients of the vendors' SDKs, for a vendor's own service and for each cloud, with addresses and credentials.

Each client receives all settings, because an SDK would otherwise read addresses and keys from the environment or its
own files.
"""

import re
import threading
import warnings
from typing import Any

from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.providers.endpoint import (
    OWN_HOSTS,
    Api,
    AwsAccess,
    AzureAccess,
    Endpoint,
    GoogleAccess,
    Network,
    is_own_service,
)
from ralph_cli.providers.vendors import faults

NO_KEY = "none"  # sent to a server that requires no key

_AWS_REGION = re.compile(r"[a-z]{2,8}(-[a-z0-9]+)+-\d+")
_GOOGLE_NAME = re.compile(r"[a-zA-Z0-9_-][a-zA-Z0-9_.:-]*")
_GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_GOOGLE_TOKENS = "https://oauth2.googleapis.com"


def address_of(endpoint: Endpoint, api: Api) -> str:
    """Return the root address for requests in this wire format; the client adds the path."""
    root = (endpoint.base_url or "").rstrip("/")
    match endpoint.access:
        case AzureAccess(api_version=version):
            root = re.sub(r"/openai(/v1)?$", "", root)  # Azure's pages also show the address in this form
            return root if _is_dated(version) else f"{root}/openai/v1"
        case AwsAccess() as access:
            region = _region_of(access)
            suffix = ".cn" if region.startswith("cn-") else ""
            root = root or f"https://bedrock-runtime.{region}.amazonaws.com{suffix}"
            return root if api == "messages" else f"{root}/openai/v1"
        case GoogleAccess(project=project, location=location):
            root = root or f"https://{_google_host(location or '')}/v1"
            for what, part in (("GOOGLE_CLOUD_PROJECT", project), ("GOOGLE_CLOUD_LOCATION", location)):
                _require_name(what, part or "", _GOOGLE_NAME)
            publisher = {"responses": "publishers/openai/v1", "chat": "endpoints/openapi"}.get(api)
            return f"{root}/projects/{project}/locations/{location}/{publisher}" if publisher else root
        case _:
            own = OWN_HOSTS.get(endpoint.vendor, ("",))[0]
            return root or f"https://{own}" + ("/v1" if endpoint.vendor == "openai" else "")


def connect_claude(endpoint: Endpoint, target: faults.Target, **options: Any) -> Any:
    """Return the client of Anthropic's SDK for that endpoint."""
    import anthropic

    options |= {"base_url": target.base_url, "open_telemetry": False}
    match endpoint.access:
        case AwsAccess() as access:
            _require_aws_credentials(endpoint, access, target)
            # Without a key it would look for one in the environment, and refuse other credentials in addition.
            client = anthropic.AnthropicBedrock(api_key=NO_KEY, aws_region=_region_of(access), **options)
            client.api_key, client.aws_profile = endpoint.api_key, None if access.access_key else access.profile
            client.aws_access_key, client.aws_secret_key = access.access_key, access.secret_key
            client.aws_session_token = access.session_token
            return client
        case GoogleAccess(project=project, location=location) as access:
            token: Any = GoogleToken(access, endpoint.network, target)
            return anthropic.AnthropicVertex(
                region=location or "", project_id=project or "", credentials=token, **options
            )
        case _:
            return anthropic.Anthropic(api_key=endpoint.api_key or NO_KEY, **options)


def connect_openai(endpoint: Endpoint, target: faults.Target, **options: Any) -> Any:
    """Return the client of OpenAI's SDK for that endpoint."""
    client = _openai_client(endpoint, target, options)
    if not is_own_service("openai", target.base_url):
        client.organization = client.project = None  # from the environment, meant for OpenAI's own service
    return client


def _openai_client(endpoint: Endpoint, target: faults.Target, options: dict[str, Any]) -> Any:
    import openai

    match endpoint.access:
        case AzureAccess(api_version=api_version, token=token):
            options |= {"api_key": endpoint.api_key} if endpoint.api_key else {"azure_ad_token": token}
            options |= {"azure_endpoint" if _is_dated(api_version) else "base_url": target.base_url}
            return openai.AzureOpenAI(api_version=api_version, **options)
        case AwsAccess() as access:
            from openai.providers import bedrock

            _require_aws_credentials(endpoint, access, target)
            keys: dict[str, Any] = {
                "access_key_id": access.access_key,
                "secret_access_key": access.secret_key,
                "session_token": access.session_token,
            }
            who: dict[str, Any] = {"api_key": endpoint.api_key}  # None stops the SDK from searching for a key
            who |= {} if endpoint.api_key else keys if access.access_key else {"profile": access.profile}
            provider = bedrock(endpoint="runtime", region=_region_of(access), base_url=target.base_url, **who)
            return openai.OpenAI(provider=provider, **options)
        case GoogleAccess() as access:
            from openai.providers import vertex

            token_provider = GoogleToken(access, endpoint.network, target)
            return openai.OpenAI(provider=vertex(base_url=target.base_url, token_provider=token_provider), **options)
        case _:
            return openai.OpenAI(api_key=endpoint.api_key or NO_KEY, base_url=target.base_url, **options)


def _is_dated(api_version: str | None) -> bool:
    """Whether Azure's API version is a date, as in the old scheme; other versions have a different path."""
    return (api_version or "")[:1].isdigit()


def _require_name(what: str, name: str, pattern: re.Pattern[str]) -> str:
    """Return the name, which becomes part of an address. Raises ConfigError if it is not valid."""
    if not pattern.fullmatch(name):
        raise ConfigError(f"{what} is not a name that can be used: {name!r:.80}", code="bad-setting")
    return name


# --- Amazon -----------------------------------------------------------------------------------------------------------


def _region_of(access: AwsAccess) -> str:
    """Return the region from the settings, otherwise from the profile. Raises ConfigError without a usable region."""
    if region := access.region or getattr(_session(access), "region_name", None):
        return _require_name("AWS_REGION", str(region), _AWS_REGION)
    what = f"the AWS profile {access.profile} names no region"
    raise ConfigError(what, code="not-configured", hint="set AWS_REGION, such as eu-central-1")


def _session(access: AwsAccess) -> Any:
    import boto3
    from botocore.exceptions import BotoCoreError

    try:
        return boto3.Session(profile_name=None if access.access_key else access.profile, region_name=access.region)
    except BotoCoreError as error:
        hint = "set AWS_PROFILE to one of `aws configure list-profiles`, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        raise ConfigError(f"Amazon's settings: {error}", code="not-configured", hint=hint) from None


def _require_aws_credentials(endpoint: Endpoint, access: AwsAccess, target: faults.Target) -> None:
    """Raise ProviderError unless there are credentials that can sign requests."""
    if endpoint.api_key or access.access_key:
        return
    failure: ProviderError | None = None
    try:
        found = _session(access).get_credentials()
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001 - its chain runs programs, reads files and asks services
        found, failure = None, faults.transport_fault(target, error, default_code="credentials")
    if found is None:
        raise failure or target.fault("credentials", "none were found")


# --- Google -----------------------------------------------------------------------------------------------------------


def _google_host(location: str) -> str:
    if location in ("us", "eu"):
        return f"aiplatform.{location}.rep.googleapis.com"
    return "aiplatform.googleapis.com" if location == "global" else f"{location}-aiplatform.googleapis.com"


class GoogleToken:
    """A Google token that is always current, from the settings or from the machine's credentials.

    The SDKs could fetch it, but would use neither the proxy nor the certificates of the settings.
    """

    expired = False

    def __init__(self, access: GoogleAccess, network: Network, target: faults.Target) -> None:
        self._access, self._network, self._target = access, network, target
        self._lock = threading.Lock()
        self._credentials: Any = None
        if access.credentials is not None and not access.credentials.is_file():
            what = f"GOOGLE_APPLICATION_CREDENTIALS: there is no file {access.credentials}"
            hint = "set it to the JSON file of a service account, or run `gcloud auth application-default login`"
            raise ConfigError(what, code="no-file", hint=hint)

    def __call__(self) -> str:
        """Return the token. Raises ProviderError without credentials, or if Google gives no token for them."""
        if self._access.token:
            return self._access.token
        failure: ProviderError | None = None
        with self._lock:
            try:
                token = self._fresh_token()
            except Exception as error:  # noqa: BLE001 - its chain runs programs, reads files and asks services
                failure = faults.transport_fault(self._target, error, default_code="credentials")
        if failure is not None:  # outside the handler, because the cause may hold a key
            raise failure
        return token

    @property
    def token(self) -> str:
        """The token, in the form that Anthropic's SDK requires."""
        return self()

    def _fresh_token(self) -> str:
        import google.auth
        import requests
        from google.auth.transport.requests import Request

        with requests.Session() as session:
            session.trust_env = False
            session.verify = self._network.ca_file or True
            if proxy := self._network.proxy_for(_GOOGLE_TOKENS):
                session.proxies = {"https": proxy}
            request = Request(session)
            if self._credentials is None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # about files from untrusted sources; the user chose this one
                    self._credentials = self._find_credentials(google.auth, request)
            if not self._credentials.valid:
                self._credentials.refresh(request)
        return str(self._credentials.token)

    def _find_credentials(self, auth: Any, request: Any) -> Any:
        if self._access.credentials is None:
            return auth.default(scopes=[_GOOGLE_SCOPE], request=request)[0]
        return auth.load_credentials_from_file(str(self._access.credentials), scopes=[_GOOGLE_SCOPE], request=request)[
            0
        ]
