"""The few documents that the suite's server hands out. None holds anything of a game or a level."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from .labels import label

LINK = '<link rel="stylesheet" href="/page.css">'
TEXTS = {
    "stopped": {
        "en": "The suite has stopped. To play again, start it in the terminal and open the new address.",
        "zh": "游戏合集已停止。若要再玩，请在终端重新启动并打开新的网址。",
    },
    "busy": {
        "en": "The suite is already open in another window. Close that one, then try again.",
        "zh": "游戏合集已在另一个窗口中打开。请先关闭那个窗口，然后重试。",
    },
    "again": {"en": "Try again", "zh": "重试"},
    "unknown": {
        "en": "Open the whole address that lpb-gen play printed.",
        "zh": "请打开 lpb-gen play 显示的完整网址。",
    },
}

STYLE = """\
html { height: 100%; background: linear-gradient(#fff6ea, #fde0c6) fixed; color: #4a3226; }
body { min-height: 100vh; margin: 0; display: grid; place-content: center; text-align: center;
       font: 20px/1.5 system-ui, sans-serif; }
canvas { border-radius: 16px; box-shadow: 0 8px 40px #5c341433; }
canvas + p { position: fixed; inset: auto 0 0; margin: 1em; }
a { padding: .5em 1.2em; border-radius: .8em; background: #f9663e; color: #fff; text-decoration: none; }
"""


def play_page(lang: str, *, grows: bool = False) -> str:
    """The page for a person: it loads the client itself. ``grows``: it fills the window, however large that is."""
    script = f'<script src="page.js"{" data-grows" if grows else ""}></script>'
    return _fill(lang, label("suite", lang), TEXTS["stopped"][lang], LINK + script)


def bare_page() -> str:
    """The page for an evaluation: a canvas and nothing else; the client is injected into a world of its own."""
    return _fill("en", "", "", "")


def client(address: str = "") -> str:
    """The client script; ``address``: the WebSocket to connect to, or empty for the one beside the page."""
    return _read("page.js").replace("{address}", address)


def busy_page(lang: str) -> str:
    return _message(lang, TEXTS["busy"][lang], f'<p><a href=".">{TEXTS["again"][lang]}</a></p>')


def unknown_page(lang: str) -> str:
    return _message(lang, TEXTS["unknown"][lang])


def _message(lang: str, text: str, more: str = "") -> str:
    title = escape(label("suite", lang))
    head = f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>{title}</title>{LINK}'
    return f"{head}<h1>{title}</h1><p>{escape(text)}</p>{more}</html>\n"


def _fill(lang: str, title: str, stopped: str, script: str) -> str:
    page = _read("page.html")
    for name, value in {"lang": lang, "title": escape(title), "stopped": escape(stopped), "script": script}.items():
        page = page.replace(f"{{{name}}}", value)
    return page


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
