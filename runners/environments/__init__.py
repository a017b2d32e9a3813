"""Gymnasium environments: ``gymnasium.make("lpb_gen:LPB/Maze-Hard-v0")``. See docs/gymnasium.md."""
