"""A mail server for tests: keeps the mails it gets, one JSON object per line, and prints its port."""

import argparse
import asyncio
import email
import email.policy
import json
import ssl

from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--kept", required=True, help="where mails are kept")
parser.add_argument("--cert")
parser.add_argument("--key")
parser.add_argument("--implicit", action="store_true", help="TLS from the first byte instead of STARTTLS")
parser.add_argument("--login", help="USER:PASSWORD")
parser.add_argument("--hang", action="store_true", help="keep mails, but never say so")
options = parser.parse_args()


class Keeper:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("nobody@"):
            return "550 5.1.1 CANARY-of-the-server no such user"
        if address.startswith("later@"):
            return "451 4.3.0 CANARY-of-the-server come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        kept = {
            "envelope_from": envelope.mail_from,
            "envelope_to": envelope.rcpt_tos,
            "tls": session.ssl is not None or options.implicit,
            "helo": session.host_name,
            "headers": {name.lower(): str(value) for name, value in message.items()},
            "names": [name.lower() for name in message.keys()],
            "charset": message.get_content_charset(),
            "body": None if message.is_multipart() else message.get_content(),
            "parts": {part.get_content_type(): part.get_content() for part in message.iter_parts()},
            "ascii": envelope.content.isascii(),
        }
        with open(options.kept, "a", encoding="utf-8") as file:
            file.write(json.dumps(kept) + "\n")
        if options.hang:
            await asyncio.sleep(3600)
        return "250 kept"


def authenticate(server, session, envelope, mechanism, data):
    given = f"{data.login.decode()}:{data.password.decode()}"
    return AuthResult(success=given == options.login, handled=False)


async def main():
    context = None
    if options.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.cert, options.key)
    starttls = context if not options.implicit else None

    def serve():
        return SMTP(
            Keeper(),
            hostname="mail.test",
            enable_SMTPUTF8=True,
            tls_context=starttls,
            require_starttls=starttls is not None,
            authenticator=authenticate if options.login else None,
            auth_required=bool(options.login),
            auth_require_tls=False,
        )

    wrapped = context if options.implicit else None
    server = await asyncio.get_running_loop().create_server(serve, "127.0.0.1", options.port, ssl=wrapped)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
