"""The cautious player: greedy that loses no level, in every game; what cannot be decided is said."""

from __future__ import annotations

import logging
from typing import Any

import levels
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lpb_gen.games import GAMES
from lpb_gen.games.base import Unproven
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.agents.cautious import NEVER_LOST
from lpb_gen.runners.session import Session
from lpb_gen.runners.view import Objective

import strategies

MOST_STATES = 1000


def reachable(game: Any, board: Any) -> tuple[set[Any], set[Any]]:
    """The states that play reaches, and those of them that can still be won; assumes that they are few."""
    after: dict[Any, list[Any]] = {}
    queue = [game.start(board)]
    for state in queue:
        if state in after:
            continue
        assume(len(after) < MOST_STATES)
        after[state] = [game.apply(board, state, move) for move in game.moves(board, state)]
        queue += after[state]
    alive = {state for state in after if game.solved(board, state)}
    grown = True
    while grown:
        more = {state for state, next_ in after.items() if state not in alive and not alive.isdisjoint(next_)}
        alive, grown = alive | more, bool(more)
    return set(after), alive


def play(objective: Objective, agent: str) -> tuple[str, list[Any]]:
    """The end ("won", or the answer) and the states on the way."""
    session, player = Session([objective]), AGENTS[agent](objective.game, objective.tier, 0)
    states: list[Any] = []
    for _ in range(400):
        if session.view.won[objective.game, objective.tier]:
            return "won", states
        action = player.act_knowing("", session)
        if isinstance(action, Answer):
            return action.text, states
        for part in action.actions if isinstance(action, actions.Batch) else (action,):
            for event in actions.events(part):
                session.event(event)
        if session.view.screen == "level":
            states.append(session.view.state)
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_it_never_loses_a_level_that_can_be_won(name: str, data: st.DataObject) -> None:
    game = GAMES[name]
    board = game.board(data.draw(strategies.BOARDS[name]()))
    assume(not game.solved(board, game.start(board)))
    _, alive = reachable(game, board)
    assume(game.start(board) in alive)
    level = levels.of_board(board, "easy", game)
    ending, states = play(Objective(name, "easy", (level,)), "cautious")
    assert all(state in alive for state in states)
    assert ending == "won" or "coming back" in ending


@pytest.mark.parametrize("name", NEVER_LOST)
@settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_where_it_asks_nobody_nothing_can_be_lost(name: str, data: st.DataObject) -> None:
    game = GAMES[name]
    board = game.board(data.draw(strategies.BOARDS[name]()))
    states, alive = reachable(game, board)
    assert alive in (states, set())


TRAP = '{"capacity": 3, "bolts": [[3, 1, 2], [2, 1, 1], [3, 2, 3], []]}'


def test_greedy_falls_where_cautious_does_not() -> None:
    objective = Objective("nut", "easy", (levels.level(TRAP, "easy", GAMES["nut"]),))
    assert play(objective, "cautious")[0] == "won"
    assert play(objective, "greedy")[0] != "won"


def test_what_cannot_be_decided_is_said_once_and_played_like_greedy(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def give_up(board: Any, state: Any) -> bool:
        raise Unproven("dead or not: not decided")

    monkeypatch.setattr("lpb_gen.generators.nut_solver.is_dead", give_up)
    objective = Objective("nut", "easy", (levels.level(TRAP, "easy", GAMES["nut"]),))
    with caplog.at_level(logging.INFO, "lpb_gen.agents"):
        cautious = play(objective, "cautious")
    assert cautious == play(objective, "greedy")
    assert caplog.messages == ["cautious: level 1 has positions that cannot be decided within the limit"]
