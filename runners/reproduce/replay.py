"""All inputs of a record once more, on a surface of one's own: every settled state and every screenshot compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...pipeline.level import canonical_json
from ..agents import HUMAN
from ..episode import situation
from ..failures import TechnicalFailure
from ..inputs import read_input
from ..potential import Potential
from ..record import screenshot_name
from ..suite.png import pixels
from .checks import Check
from .stored import MISSING, Stored

if TYPE_CHECKING:
    from ..surface import Pixels, Surface
    from ..view import Objective


class Replay:
    """Of one record on a surface that has been started and shows the home screen. ``kept``: the record holds the
    pictures themselves; else only their names, which are by content."""

    def __init__(self, record: Stored, surface: Surface, objective: Objective, *, kept: bool) -> None:
        self.states, self.screenshots = Check("states"), Check("screenshots")
        self._record, self._surface, self._kept = record, surface, kept
        self._potential = Potential(objective)
        self._digests: dict[str, str | None] = {}  # of the pixels of the record's pictures, by name
        self._same_encoder = _encoder(record.start["surface"]) == _encoder(surface.describe())
        self._uncompared = self._unseen = 0
        kind, keep = record.start["agent"].get("kind"), record.settings.get("screenshots")
        self._needed = kind != "reference" or keep in ("all", "changes")  # a reference agent may do without
        self._between = keep == "all" and kind != HUMAN  # nobody takes pictures between a person's inputs

    def run(self, advance: Callable[[], None] = lambda: None) -> None:
        """Raises TechnicalFailure where the surface fails."""
        for event in self._record.events:
            try:
                if event["type"] == "snapshot":
                    self._settle(event)
                elif event["type"] == "observation":
                    self._look(event, event["data"].get("screenshot"), needed=self._needed)
            except TechnicalFailure:
                raise
            except Exception as error:  # a damaged record may ask for anything
                what = f"the replay stops here ({type(error).__name__}: {error})"
                self.states.differs(what, event=event["seq"], step=event["data"].get("step"))
                break
            advance()
        self._tell()

    def _settle(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        given = data["input"]
        notes = () if given is None else self._surface.dispatch((read_input(given),))
        here = json.loads(canonical_json(situation(self._surface.session, self._potential, notes)))
        where = {"event": event["seq"], "step": data.get("step")}
        wrong = [name for name, value in here.items() if name != "progress_by" and data.get(name, MISSING) != value]
        if wrong:
            recorded = {name: data.get(name, MISSING) for name in wrong}
            told = {"recorded": recorded, "here": {name: here[name] for name in wrong}}
            self.states.differs(", ".join(wrong), **where, **told)
        else:
            self.states.same()
        between = self._between and given is not None
        if "screenshot" in data or between:
            self._look(event, data.get("screenshot"), needed=between)

    def _look(self, event: Mapping[str, Any], name: str | None, *, needed: bool) -> None:
        """Compares one picture: by the pixels where the record has it, by its name where its file would be the same."""
        where = {"event": event["seq"], "step": event["data"].get("step"), "file": name}
        if name is None and needed:
            self.screenshots.differs("no picture is named", **where)
            return
        if name is None:
            self._unseen += 1
            return
        if self._kept:
            found, problem = self._recorded(name)
            if problem:
                self.screenshots.differs(problem, **where)
            elif found == _digest(self._surface.pixels()):
                self.screenshots.same()
            else:
                self.screenshots.differs("other pixels", **where)
        elif self._same_encoder:
            self.screenshots.expect("another picture", name, screenshot_name(self._surface.screenshot()), **where)
        else:
            self._uncompared += 1

    def _recorded(self, name: str) -> tuple[str | None, str]:
        """The digest of a kept picture's pixels; or what is wrong with its file."""
        path = self._record.folder / "screenshots" / Path(name).name
        if name not in self._digests:
            try:
                data = path.read_bytes()
            except OSError:
                return None, "its file is missing"
            if screenshot_name(data) != name:
                return None, "its file is not what its name says"
            try:
                self._digests[name] = _digest(pixels(data))
            except ValueError:
                self._digests[name] = None
        found = self._digests[name]
        return found, "" if found else "its file is no picture"

    def _tell(self) -> None:
        told = []
        if self._unseen:
            told.append(f"{self._unseen} were not taken (a reference agent needs none)")
        if self._uncompared:
            told.append(
                f"{self._uncompared} were not kept, only their names by content, and another program wrote them; "
                "--surface browser with the same browser compares these"
            )
        self.screenshots.unchecked = "; ".join(told)


def _encoder(surface: Mapping[str, Any]) -> tuple[Any, ...]:
    """What wrote the pictures of a surface: equal ones write equal pictures as equal files."""
    return tuple(surface.get(key) for key in ("browser", "browser_version"))  # where there is none, we did ourselves


def _digest(shown: Pixels) -> str:
    """Of height, width and RGB: alpha is nothing that a screen shows."""
    shape = "x".join(map(str, shown.shape[:2]))
    return shape + hashlib.sha256(shown[:, :, :3].tobytes()).hexdigest()
