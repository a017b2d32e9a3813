"""What a model is reminded of: the instruction, its latest turns, and the latest screenshots.

Both are cut in blocks: when there are more than allowed, the older half goes. Between two cuts the conversation only
grows at its end, which is what the services' caches and signed reasoning need.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .replies import Call, Reply

LEFT_OUT = "[screenshot left out]"


@dataclass(slots=True, kw_only=True)
class Turn:
    """A reply and what came of it. ``picture``: PNG of the screen afterwards; ``note``: what the model is told where it
    called no tool; ``rewritten``: something before this turn is no longer what the model saw when it replied."""

    reply: Reply
    picture: bytes | None = None
    note: str = ""
    rewritten: bool = False

    @property
    def calls(self) -> list[Call]:
        return self.reply.calls


@dataclass(slots=True, kw_only=True)
class Conversation:
    """``picture``: the first screenshot. ``forgotten``: turns that are no longer there."""

    instruction: str
    viewport: tuple[int, int]
    history: int  # most turns
    images: int  # most pictures, the first included
    picture: bytes | None = None
    turns: list[Turn] = field(default_factory=list)
    forgotten: int = 0

    @property
    def opening(self) -> str:
        return f"{self.instruction}\n[{self.forgotten} earlier steps left out]" if self.forgotten else self.instruction

    def add(self, reply: Reply) -> Turn:
        turn = Turn(reply=reply)
        self.turns.append(turn)
        return turn

    def trim(self) -> None:
        """Cuts what is too much. To be called before the model is asked."""
        cut = False
        if len(self.turns) > self.history:
            gone = len(self.turns) - max(1, self.history // 2)
            self.turns, self.forgotten, cut = self.turns[gone:], self.forgotten + gone, True
        holders: list[Conversation | Turn] = [self, *self.turns]
        seen = [holder for holder in holders if holder.picture is not None]
        if len(seen) > self.images:
            for holder in seen[: len(seen) - max(1, self.images // 2)]:
                holder.picture = None
            cut = True
        if cut:
            for turn in self.turns:
                turn.rewritten = True
