"""``openai:MODEL``: agents that speak OpenAI's APIs, with OpenAI or with a server that speaks the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .base import Agent
from .careful_client import careful_client
from .model_making import Spoken, key_from, made, require_model
from .model_settings import Settings, read_settings
from .openai_chat import Chat
from .openai_responses import Responses
from .service import Times, library

KEY = "OPENAI_API_KEY"
CHOICES = {
    "api": ("chat", "responses"),
    "reasoning_effort": ("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    "detail": ("auto", "low", "high", "original"),
}
TOOLS = {"chat": ("gui",), "responses": ("computer", "gui", "computer_use_preview")}


def make(
    model: str, options: Mapping[str, str], *, environ: Mapping[str, str] | None = None, times: Times | None = None
) -> Agent:
    """The agent; ``options``: see docs/agents.md. Raises InvalidOption, InvalidPrices, LpbError where the model, the
    key or the library is missing."""
    require_model("openai", model)
    environ = os.environ if environ is None else environ
    base_url = options.get("base_url") or environ.get("OPENAI_BASE_URL") or None
    # OpenAI's own models from GPT-5.4 on refuse tools in Chat Completions, unless they do not reason; other servers
    # rarely speak anything else
    options = {"api": "chat" if base_url else "responses"} | dict(options)
    settings = read_settings("openai", options, CHOICES | {"tools": TOOLS.get(options["api"], TOOLS["chat"])})
    key = key_from(environ, KEY)
    sdk = library("openai")
    client = sdk.OpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=careful_client(sdk))
    return made("openai", model, settings, key, speak(client, model, settings, sdk), times)


def speak(client: Any, model: str, settings: Settings, sdk: Any) -> Spoken:
    """The API that the settings ask for, spoken with the library's client."""
    if settings.api == "responses":
        return Responses(client, model, settings, sdk)
    return Chat(client, model, settings, sdk)
