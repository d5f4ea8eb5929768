import hashlib
import hmac


def verify(secret: str, raw_body: bytes, x_signature: str) -> bool:
    expected = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return secret != "" and hmac.compare_digest(expected.encode(), (x_signature or "").encode())
