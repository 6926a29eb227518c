"""Services of clouds on the loopback: what is asked of them is kept, and a proxy with a private authority tunnels."""

import datetime
import hashlib
import hmac
import json
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from fault_server import Json, completion, message, response


@dataclass(frozen=True)
class Seen:
    """One request as it arrived, with the names of headers in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        return dict(json.loads(self.body))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "CloudService"

    def log_message(self, *_: Any) -> None:
        """Be silent."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0) or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.command, self.path, headers, body)
        self.server.seen.append(seen)
        status, said, extra = self.server.refusal or (200, self.server.said(seen), {})
        data = json.dumps(said).encode()
        self.send_response(status)
        for name, value in (("content-type", "application/json"), ("content-length", str(len(data))), *extra.items()):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class CloudService(ThreadingHTTPServer):
    """Answers each path of a cloud with a reply in its wire format, or with `refusal` (status, body, headers)."""

    daemon_threads = True

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[Seen] = []
        self.refusal: tuple[int, Any, dict[str, str]] | None = None
        self.said: Callable[[Seen], Json] = good_reply
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """A client that trusts nobody hangs up: that is no news."""

    def close(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


def good_reply(seen: Seen) -> Json:
    """A reply in the wire format of the path."""
    path = seen.path
    if path.startswith("/token"):
        return {"access_token": "ya29.from-the-account", "expires_in": 3600, "token_type": "Bearer"}
    if "/chat/completions" in path:
        return completion()
    return response() if "/responses" in path else message()


class Tunnel(threading.Thread):
    """A proxy that takes CONNECT for any host and leads to one port of this machine."""

    def __init__(self, port: int, refusal: str = "") -> None:
        super().__init__(daemon=True)
        self.port, self.refusal = port, refusal
        self.asked: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.start()

    def run(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        head = b""
        with client, suppress(OSError):
            while b"\r\n\r\n" not in head:
                head += client.recv(4096)
            self.asked.append(head.decode("latin-1").split("\r\n")[0])
            if self.refusal:
                client.sendall(f"HTTP/1.1 {self.refusal}\r\ncontent-length: 0\r\n\r\n".encode())
                return
            with socket.create_connection(("127.0.0.1", self.port)) as service:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                back = threading.Thread(target=_relay, args=(service, client), daemon=True)
                back.start()
                _relay(client, service)
                back.join()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.join()


def _relay(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def private_authority(folder: Path, *hosts: str) -> tuple[Path, tuple[Path, Path]]:
    """The certificate of an authority that nobody trusts yet, and certificate and key that it gave for these hosts."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root_name = x509.Name.from_rfc4514_string("CN=A private authority")

    def certificate(subject: x509.Name, public: Any) -> x509.CertificateBuilder:
        begin = datetime.datetime(2020, 1, 1)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(root_name).public_key(public)
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(begin)
        builder = builder.not_valid_after(datetime.datetime(2100, 1, 1))
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key())
        own = x509.SubjectKeyIdentifier.from_public_key(public)
        return builder.add_extension(issuer, critical=False).add_extension(own, critical=False)

    is_root = x509.BasicConstraints(ca=True, path_length=None)
    signs = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    root = certificate(root_name, root_key.public_key()).add_extension(is_root, critical=True)
    root = root.add_extension(signs, critical=True)
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
    leaf = certificate(x509.Name.from_rfc4514_string("CN=service"), key.public_key()).add_extension(
        names, critical=False
    )
    paths = [folder / name for name in ("authority.pem", "service.pem", "service.key")]
    for path, made in zip(paths, (root, leaf), strict=False):
        path.write_bytes(made.sign(root_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    paths[2].write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))
    return paths[0], (paths[1], paths[2])


def service_account(token_uri: str) -> Json:
    """The JSON file of an account that nobody has."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return {
        "type": "service_account",
        "client_email": "reader@my-project.iam.gserviceaccount.com",
        "private_key": key.private_bytes(pem, form, serialization.NoEncryption()).decode(),
        "private_key_id": "1",
        "token_uri": token_uri,
    }


def signature_of(seen: Seen, secret: str) -> str:
    """The signature that the request should have: version 4 of Amazon's, as its documentation gives it."""
    words = dict(part.split("=", 1) for part in seen.headers["authorization"].split(" ", 1)[1].split(", "))
    scope = words["Credential"].split("/", 1)[1]
    signed = words["SignedHeaders"].split(";")
    url = urlsplit(seen.path)
    lines = [f"{name}:{' '.join(seen.headers[name].split())}\n" for name in signed]
    digest = hashlib.sha256(seen.body).hexdigest()
    request = "\n".join(
        (seen.method, quote(url.path, safe="/-_.~"), url.query, "".join(lines), ";".join(signed), digest)
    )
    when = seen.headers["x-amz-date"]
    text = "\n".join(("AWS4-HMAC-SHA256", when, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
