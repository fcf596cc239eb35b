"""Keys never appear in a message: every text that leaves a provider passes through here."""

import re
from collections.abc import Sequence
from urllib.parse import quote

HIDDEN = "[redacted]"
SHORTEST = 4
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_*.\-]{6,}"  # the usual shape, as providers echo it, starred or not
    r"|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=\-]{6,}"
    r"|(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"
)


def redact(text: str, secrets: Sequence[str]) -> str:
    """`text` with every secret, in plain or URL-encoded form, and whatever looks like one hidden.

    Secrets shorter than four characters are left: hiding them would shred any text.
    """
    for secret in secrets:
        if len(secret) >= SHORTEST:
            text = text.replace(secret, HIDDEN).replace(quote(secret, safe=""), HIDDEN)
    return _KEY_LIKE.sub(HIDDEN, text)


def redact_bytes(body: bytes, secrets: Sequence[str]) -> bytes:
    """A reply's body without the secrets themselves, should a gateway echo them."""
    for secret in secrets:
        if len(secret) >= SHORTEST:
            body = body.replace(secret.encode(), HIDDEN.encode())
    return body
