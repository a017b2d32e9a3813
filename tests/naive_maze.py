"""Maze Paint by brute force over games/maze.py, in the shortest words: what provers and figures are tested against."""

from __future__ import annotations

from typing import Any

from lpb_gen.games.maze import GAME, MOVES, STEP, Board, Move, State, slides


def board(text: str) -> Board:
    return GAME.board(GAME.read(text))


class States:
    """Every state that play can reach. ``distance``: from the start; ``after``: by legal move; ``left``: the fewest
    moves to a solved state, for the states that have any."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.start = GAME.start(board)
        self.distance = {self.start: 0}
        self.after: dict[State, dict[Move, State]] = {}
        before: dict[State, list[State]] = {}
        queue = [self.start]
        for state in queue:
            self.after[state] = {move: GAME.apply(board, state, move) for move in GAME.moves(board, state)}
            for successor in self.after[state].values():
                before.setdefault(successor, []).append(state)
                if successor not in self.distance:
                    self.distance[successor] = self.distance[state] + 1
                    queue.append(successor)
        self.left = {state: 0 for state in queue if GAME.solved(board, state)}
        queue = list(self.left)
        for state in queue:
            for predecessor in before.get(state, ()):
                if predecessor not in self.left:
                    self.left[predecessor] = self.left[state] + 1
                    queue.append(predecessor)

    @property
    def optimum(self) -> int | None:
        return self.left.get(self.start)

    def least_solution(self) -> tuple[Move, ...]:
        """Of the shortest solutions the first in the order of MOVES."""
        state, solution = self.start, []
        while self.left[state]:
            move = next(m for m in MOVES if self.left.get(self.after[state].get(m), -1) == self.left[state] - 1)
            solution.append(move)
            state = self.after[state][move]
        return tuple(solution)

    def figures(self) -> dict[str, Any]:
        """The exact figures of a solvable board, from their definitions."""
        unsolved = [state for state in self.distance if not GAME.solved(self.board, state)]
        solvable = [state for state in unsolved if state in self.left]
        legal = [(s, t) for s in solvable for t in self.after[s].values()]
        fatal = [(s, t) for s, t in legal if t not in self.left]
        risky = {s for s, _ in fatal}
        deceptive = [s for s in risky if self._greedy_successor(s) not in self.left]
        idle = [(s, t) for s in unsolved for t in self.after[s].values() if t.painted == s.painted]
        return {
            "optimal_length": self.optimum,
            "reachable_states": len(self.distance),
            "dead_state_share": round(1 - len(solvable) / len(unsolved), 6),
            "fatal_move_share": round(len(fatal) / len(legal), 6),
            "deception": round(len(deceptive) / len(risky), 6) if risky else None,
            "zero_progress_share": round(len(idle) / sum(len(self.after[s]) for s in unsolved), 6),
            "greedy_outcome": self._greedy_outcome(),
            "nearest_ratio": self._nearest_ratio(),
            "trap_latency": None,
            "floor_cells": sum(row.count(".") for row in self.board.rows),
            "stops": self._stops(),
        }

    def _stops(self) -> int:
        stops = [self.board.start]
        for cell in stops:
            stops += [stop for stop, _ in slides(self.board)[cell].values() if stop not in stops]
        return len(set(stops))

    def _greedy_successor(self, state: State) -> State:
        return max(self.after[state].values(), key=lambda after: GAME.progress(self.board, after))

    def _greedy_outcome(self) -> dict[str, Any]:
        state, seen = self.start, [self.start]
        while True:
            state = self._greedy_successor(state)
            result = "solves" if GAME.solved(self.board, state) else "dead_end" if state not in self.left else "loops"
            if result != "loops" or state in seen:
                return {"result": result, "moves": len(seen)}
            seen.append(state)

    def _nearest_ratio(self) -> float | None:
        state, moves = self.start, 0
        while not GAME.solved(self.board, state):
            runs: list[tuple[State, int]] = [(state, 0)]
            seen = {state}
            for here, steps in runs:
                if here.painted != state.painted:
                    state, moves = here, moves + steps
                    break
                for after in self.after[here].values():
                    if after not in seen:
                        seen.add(after)
                        runs.append((after, steps + 1))
            else:
                return None
        assert self.optimum
        return round(moves / self.optimum, 6)

    def random_survival(self, swipes: int) -> float:
        """The probability that a player who never swipes back solves the board in time, by dynamic programming."""
        opposite = {m: next(n for n in MOVES if STEP[n] == (-STEP[m][0], -STEP[m][1])) for m in MOVES}
        chances: dict[tuple[State, Move | None], float] = {(self.start, None): 1.0}
        won = 0.0
        for _ in range(swipes):
            later: dict[tuple[State, Move | None], float] = {}
            for (state, last), chance in chances.items():
                moves = [m for m in self.after[state] if last is None or m != opposite[last]] or [*self.after[state]]
                for move in moves:
                    after = self.after[state][move]
                    if GAME.solved(self.board, after):
                        won += chance / len(moves)
                    else:
                        later[after, move] = later.get((after, move), 0.0) + chance / len(moves)
            chances = later
        return won
