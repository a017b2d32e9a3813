"""The suite on a screen: rendering, server and page."""
