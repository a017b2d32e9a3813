"""The suite as an MCP server: one tool, the GUI action; every answer is the screenshot after it, or an error.

What is here knows pictures and calls only. The evaluator and the clock are the episode's, in another thread.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from .. import __version__
from .actions import InvalidAction, Wait, read_action
from .agents.called import EpisodeOver, TooManyCalls
from .isolation import NOT_ISOLATED
from .tool_schema import GUI_TOOL, gui_tool_action, gui_tool_description, gui_tool_schema

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from .agents.called import CalledAgent, Shown
    from .episode import Terms

SESSION_HEADER = "mcp-session-id"
OVER = "The episode is over; nothing more is carried out."
RULES = (
    "The only way to the Game Suite is the tool '{tool}': real mouse and keyboard input, answered with a screenshot of "
    "{width} x {height} pixels. The first action must be wait; the clock begins with it. You have {budget:g} seconds "
    "of wall clock, and no limit on actions. The episode ends when every level is won, when the time is over, or when "
    "you disconnect, so do not stop before you are done."
)


class Table:
    """Where a client plays: at most one, the first that acts. ``transport``: for the manifest."""

    def __init__(self, agent: CalledAgent, terms: Terms, viewport: tuple[int, int], transport: str) -> None:
        self._agent, self._terms, self._viewport, self._transport = agent, terms, viewport, transport
        self._refused = 0  # actions before the first wait
        self.begun = False
        self.player: str | None = None  # the session that plays, where the transport has sessions

    def server(self) -> Server[Any]:
        return Server(
            "lpb-gen",
            version=__version__,
            title="Game Suite",
            instructions=f"{self._terms.instruction}.\n\n{self._rules()}",
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    def _rules(self) -> str:
        width, height = self._viewport
        return RULES.format(tool=GUI_TOOL, width=width, height=height, budget=self._terms.budget)

    def left(self, session: str | None) -> None:
        """A session has ended: if it played, that is its end of the episode; if not, another may."""
        if self.begun and session == self.player:
            self._agent.leave()

    async def _list_tools(
        self, context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        # some clients show a model the tools and not the instructions
        description = f"{gui_tool_description()}\n\nThe task: {self._terms.instruction}. {self._rules()}"
        tool = types.Tool(name=GUI_TOOL, title="Act", description=description, input_schema=gui_tool_schema())
        return types.ListToolsResult(tools=[tool])

    async def _call_tool(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name != GUI_TOOL:
            raise MCPError(INVALID_PARAMS, f"there is one tool, {GUI_TOOL!r}")
        session = None if context.request is None else context.request.headers.get(SESSION_HEADER)
        action = gui_tool_action(params.arguments or {})
        if self.begun and session != self.player:
            return _error("Another client plays this episode, and there is one at a time; nothing was carried out.")
        if not self.begun:
            if (trouble := self._no_beginning(action)) is not None:
                self._refused += 1
                return _error(trouble)
            self.begun, self.player = True, session
            self._agent.about = self._about(context)
        try:
            return _shown(await asyncio.wrap_future(self._agent.call(action)))
        except TooManyCalls:
            return _error("Too many calls are waiting; nothing was carried out. Wait for the answers.")
        except EpisodeOver:
            return _error(OVER)

    def _no_beginning(self, action: Any) -> str | None:
        """Why an episode cannot begin with this action."""
        try:
            if isinstance(read_action(action, self._viewport), Wait):
                return None
        except InvalidAction as error:
            return f"{error}. The first action must be wait; nothing was carried out, and the clock has not begun."
        fix = 'Call it with {"action": "wait", "seconds": 1}.'
        return f"The first action must be wait; nothing was carried out, and the clock has not begun. {fix}"

    def _about(self, context: ServerRequestContext[Any, Any]) -> dict[str, Any]:
        client = context.session.client_params
        return {
            "kind": "mcp",
            "transport": self._transport,
            "protocol_version": context.protocol_version,
            "client": None
            if client is None
            else {"name": client.client_info.name[:200], "version": client.client_info.version[:200]},
            "server": f"mcp {version('mcp')}",
            "refused_before_first_wait": self._refused,
            "isolation": {"isolated": False, "label": NOT_ISOLATED, "reason": "the client runs where it was started"},
        }


def _shown(shown: Shown) -> types.CallToolResult:
    content: list[types.ContentBlock] = []
    if shown.error is not None:
        content.append(types.TextContent(text=f"Nothing was carried out: {shown.error}"))
    content.append(types.ImageContent(data=b64encode(shown.screenshot).decode(), mime_type="image/png"))
    return types.CallToolResult(content=content, is_error=shown.error is not None)


def _error(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
