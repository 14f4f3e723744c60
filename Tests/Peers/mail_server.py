#!/usr/bin/env python3
"""A mail server, aiosmtpd, on a port of 127.0.0.1.

mail_server.py MODE, where MODE is one of
    starttls  TLS after STARTTLS, which it requires; login "hub" with "geheim: ü"
    login     the same, without AUTH PLAIN
    implicit  TLS from the beginning
    plain     no TLS, no login

Prints {"event": "ready", "port": N, "certificate": PEM}, and for each mail {"event": "mail", "from": ADDRESS,
"to": [ADDRESS], "subject": TEXT, "text": TEXT, "fields": [NAME], "tls": BOOL, "user": NAME}. It refuses mails to
nobody@example.org.
"""
import asyncio
import datetime
import email
import email.policy
import ipaddress
import json
import ssl
import sys
import tempfile

from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def certificate():
    """A new certificate of 127.0.0.1 and localhost, and its key, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail server of a test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256()))
    return (made.public_bytes(serialization.Encoding.PEM).decode(),
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                              serialization.NoEncryption()).decode())


def say(event, **more):
    print(json.dumps({"event": event, **more}), flush=True)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address == "nobody@example.org":
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        say("mail", **{"from": envelope.mail_from}, to=envelope.rcpt_tos, subject=mail["subject"],
            text=mail.get_content(), fields=mail.keys(), defects=[str(one) for one in mail.defects],
            tls=server.transport.get_extra_info("sslcontext") is not None, user=session.auth_data)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    right = data.login == b"hub" and data.password == "geheim: ü".encode()
    return AuthResult(success=right, auth_data="hub" if right else None, handled=False,
                      message=None if right else "535 5.7.8 wrong name or password")


async def main():
    mode = sys.argv[1]
    pem, key = certificate()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(key + pem)
        file.flush()
        context.load_cert_chain(file.name)
    settings = {}
    if mode in ("starttls", "login"):
        settings = {"tls_context": context, "require_starttls": True, "auth_required": True}
    if mode == "login":
        settings["auth_exclude_mechanism"] = ["PLAIN"]
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Handler(), hostname="localhost", authenticator=authenticate, loop=loop, **settings),
        "127.0.0.1", 0, ssl=context if mode == "implicit" else None)
    say("ready", port=server.sockets[0].getsockname()[1], certificate=pem)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
