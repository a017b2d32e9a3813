"""An agent for ``lpb-gen run --agent 'command:python3 docs/examples/agent.py'``, of the standard library only: a random
clicker that prefers places where a click changed the screen. One line in, one line out (docs/agents.md)."""

from __future__ import annotations

import json
import random
import sys
from typing import Any

STEPS = 20
KEYS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")


def main() -> None:
    chance = random.Random(0)
    viewport: list[int] = [1, 1]
    good: list[list[int]] = []
    tried: list[int] | None = None
    before = ""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            chance.seed(message["seed"])
            viewport = message["viewport"]
            continue
        if message["error"]:
            print(message["error"], file=sys.stderr)  # lands in the run's record
        if tried and before != message["screenshot"]:
            good.append(tried)
        before, tried = message["screenshot"], None
        if message["step"] >= STEPS:
            reply: dict[str, Any] = {"answer": f"I give up: {len(good)} clicks changed the screen."}
        elif chance.random() < 0.5:
            reply = {"action": {"action": "press", "key": chance.choice(KEYS)}, "text": "an arrow"}
        else:
            tried = chance.choice(good) if good and chance.random() < 0.5 else [chance.randrange(n) for n in viewport]
            reply = {"action": {"action": "click", "x": tried[0], "y": tried[1]}}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
