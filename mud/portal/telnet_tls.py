"""The way in for telnet clients that encrypt, with a certificate of one's own or one that is made once."""

from __future__ import annotations

import asyncio
import errno
import ssl
from collections.abc import Callable
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from mud.portal.portal import Endpoint, Portal, door
from mud.portal.telnet import SECURE, TelnetServer
from mud.storage.files import write_private
from mud.storage.paths import make_folder

MADE = ".telnet.pem"  # in the folder of the accounts, which is private and in no git
VALID = timedelta(days=3650)


@door(SECURE)
async def telnet_tls(portal: Portal, place: Endpoint, opened: Callable[[str], None]) -> None:
    """Serve telnet with TLS. Raises OSError also when the certificate cannot be read."""
    own = portal.settings().telnet_tls_file
    made = portal.authenticator.accounts.folder / MADE
    context = await asyncio.to_thread(_context, Path(own) if own else made, made, portal.clock.now())
    await TelnetServer(portal, SECURE).serve(place, opened, context)


def _context(file: Path, made: Path, now: datetime) -> ssl.SSLContext:
    if file == made and not made.exists():
        make_folder(made.parent)
        write_private(made, make_certificate(now))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(file, password=lambda: "")  # else it would ask for one at the terminal
    except ssl.SSLError:
        why = f"{file} holds no certificate and key in PEM form that belong together, without a password"
        raise OSError(errno.EINVAL, why) from None
    except OSError as error:
        raise OSError(error.errno, f"{file}: {error.strerror}") from None
    return context


def make_certificate(now: datetime) -> str:
    """Return a new key and a certificate for this machine that it signs itself, in PEM form."""
    # Imported here because it is needed once in the life of a vault.
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Loci")])
    places = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1")), x509.IPAddress(ip_address("::1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName(places), critical=False)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return (private + certificate.public_bytes(Encoding.PEM)).decode("ascii")
