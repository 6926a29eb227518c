"""What is said of a service: whether its models can be asked, where they are, and what is missing."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ralph_cli.config import Settings
    from ralph_cli.providers.endpoint import Endpoint


def describe_service(settings: "Settings", vendor: str) -> tuple[bool | None, str]:
    """Whether it is well configured (None: not at all), and that in words, without a key."""
    from ralph_cli.core.errors import ConfigError
    from ralph_cli.providers.registry import KEYED_VENDORS, require_access

    endpoint = settings.endpoint(vendor)
    if endpoint.missing:
        wanted = ", ".join(endpoint.missing)
        return None, f"{wanted} is not set" if vendor in KEYED_VENDORS else f"not configured; missing: {wanted}"
    try:
        require_access(vendor, endpoint)
    except ConfigError as error:
        return False, f"{error.message} - {error.hint}"
    return True, "; ".join(filter(None, (_who_asks(endpoint), _where(endpoint))))


def _who_asks(endpoint: "Endpoint") -> str:
    from ralph_cli.config import ENVIRONMENT_VARIABLES
    from ralph_cli.providers.endpoint import AwsAccess, AzureAccess, GoogleAccess

    match endpoint.access:
        case AzureAccess(token=token):
            return f"{'AZURE_OPENAI_API_KEY' if endpoint.api_key or not token else 'AZURE_OPENAI_AD_TOKEN'} is set"
        case AwsAccess(profile=profile, access_key=access_key):
            variable = "AWS_BEARER_TOKEN_BEDROCK" if endpoint.api_key else "AWS_ACCESS_KEY_ID" if access_key else ""
            return (
                f"{variable} is set"
                if variable
                else f"credentials of {f'the profile {profile}' if profile else 'Amazon'}"
            )
        case GoogleAccess(token=token, credentials=file):
            variable = "GOOGLE_OAUTH_ACCESS_TOKEN" if token else "GOOGLE_APPLICATION_CREDENTIALS" if file else ""
            return f"{variable} is set" if variable else "Google's credentials of this machine"
    known = ENVIRONMENT_VARIABLES.get(f"{endpoint.vendor}_key", (endpoint.key_variable,))[0]
    return (f"{known} is set" if endpoint.api_key else f"{known} is not set") if known else "no key"


def _where(endpoint: "Endpoint") -> str:
    from ralph_cli.providers.endpoint import AwsAccess, AzureAccess, GoogleAccess

    served = f"served at {endpoint.base_url}" if endpoint.base_url else ""
    match endpoint.access:
        case AzureAccess(api_version=version):
            return f"{served}; api version {version}"
        case AwsAccess(region=region):
            return f"region {region or 'of the profile'}" + (f"; {served}" if served else "")
        case GoogleAccess(project=project, location=location):
            return f"project {project} in {location}" + (f"; {served}" if served else "")
    return served
