"""Recorded runs as one static site: leaderboard, heat map, figures, failures, and a replay of every episode."""
