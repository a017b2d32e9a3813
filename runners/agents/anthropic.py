"""``anthropic:MODEL``: an agent that speaks Anthropic's Messages API, with its computer tools or with our GUI tool."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .anthropic_messages import MOST_TOKENS, TOOL_VERSIONS, Messages
from .base import Agent
from .careful_client import careful_client
from .model_making import key_from, made, require_model
from .model_settings import InvalidOption, read_settings, thinking, yes_or_no
from .service import Times, library

KEY = "ANTHROPIC_API_KEY"
CHOICES = {
    "tools": ("computer", *TOOL_VERSIONS, "gui"),
    "reasoning_effort": ("low", "medium", "high", "xhigh", "max"),
}


def make(
    model: str, options: Mapping[str, str], *, environ: Mapping[str, str] | None = None, times: Times | None = None
) -> Agent:
    """The agent; ``options``: see docs/agents.md. Raises InvalidOption, InvalidPrices, LpbError where the model, the
    key or the library is missing."""
    require_model("anthropic", model)
    environ = os.environ if environ is None else environ
    settings = read_settings("anthropic", options, CHOICES, {"thinking": thinking, "cache": yes_or_no})
    if (settings.thinking or "").isdigit() and int(settings.thinking or 0) >= (settings.max_tokens or MOST_TOKENS):
        raise InvalidOption(
            f"it is not below max_tokens ({settings.max_tokens or MOST_TOKENS})", where="--agent-option thinking"
        )
    key = key_from(environ, KEY)
    sdk = library("anthropic")
    base_url = settings.base_url or environ.get("ANTHROPIC_BASE_URL") or None
    client = sdk.Anthropic(api_key=key, base_url=base_url, max_retries=0, http_client=careful_client(sdk))
    return made("anthropic", model, settings, key, Messages(client, model, settings, sdk), times)
