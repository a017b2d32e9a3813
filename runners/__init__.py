"""The suite that people and agents play, its surfaces, the agents, episodes and their results."""
