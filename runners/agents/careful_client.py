"""The HTTP client that a service's library gets. Whoever answers is not trusted: the answer is bounded, and the key
goes to the server that was named and to no other.

It works with the client of any library that gives its own as ``DefaultHttpxClient``, whatever that is built on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .replies import BrokenReply

MOST_BYTES = 64_000_000  # of one answer: some 300 for each token of a stream, and tokens by the hundred thousand
PLAIN = {"accept-encoding": "identity"}  # a few compressed bytes can hold any number


def careful_client(sdk: Any) -> Any:
    """For ``http_client=`` of the library ``sdk``. What it refuses it raises as BrokenReply."""

    def look(response: Any) -> None:
        if response.has_redirect_location:
            _require_same_server(response)
        coding = response.headers.get("content-encoding", "identity")
        if coding != "identity":
            raise BrokenReply(f"the answer is compressed ({coding[:20]}), which nobody asked for")
        _bound(response)

    return sdk.DefaultHttpxClient(headers=PLAIN, event_hooks={"response": [look]})


def _require_same_server(response: Any) -> None:
    """The library takes only one of the headers off that may hold a key. Raises BrokenReply."""
    here, there = response.url, response.url.join(response.headers["location"])
    if (here.scheme, here.host, here.port) != (there.scheme, there.host, there.port):
        there = f"{there.scheme}://{there.netloc.decode('ascii', 'replace')}"
        raise BrokenReply(f"it sends us to another server, {there[:100]} (is base_url right?)", again=False)


def _bound(response: Any) -> None:
    """Everything that reads the answer reads it through ``iter_raw``."""
    read = response.iter_raw

    def bounded(chunk_size: int | None = None) -> Iterator[bytes]:
        taken = 0
        for chunk in read(chunk_size):
            taken += len(chunk)
            if taken > MOST_BYTES:
                raise BrokenReply(f"the answer has more than {MOST_BYTES:,} bytes")
            yield chunk

    response.iter_raw = bounded
