"""Every word that the suite shows, in English and Chinese.

After adding a character that the bundled font lacks, run ``scripts/subset_font.py`` again (a test says so).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...games import GAMES

LABELS: Mapping[str, Mapping[str, str]] = {
    "suite": {"en": "Game Suite", "zh": "游戏合集"},
    "welcome": {"en": "Pick a puzzle and take your time.", "zh": "选一个谜题，慢慢玩。"},
    "no_levels": {"en": "No levels here", "zh": "暂无关卡"},
    "levels": {"en": "{won} of {count} solved", "zh": "已完成 {won}/{count}"},
    "choose_tier": {"en": "Choose a difficulty", "zh": "选择难度"},
    "play": {"en": "Play", "zh": "开始"},
    "continue": {"en": "Continue", "zh": "继续"},
    "replay": {"en": "Play again", "zh": "再玩一次"},
    "level": {"en": "Level {number}", "zh": "第 {number} 关"},
    "of": {"en": "of {count}", "zh": "共 {count} 关"},
    "moves": {"en": "Moves", "zh": "步数"},
    "progress": {"en": "Progress", "zh": "进度"},
    "all_levels": {"en": "Levels", "zh": "关卡"},
    "restart": {"en": "Restart", "zh": "重新开始"},
    "menu": {"en": "Menu", "zh": "菜单"},
    "home": {"en": "Home", "zh": "主页"},
    "next": {"en": "Next level", "zh": "下一关"},
    "solved": {"en": "Level {number} solved!", "zh": "第 {number} 关完成！"},
    "solved_moves": {"en": "{moves} moves", "zh": "用了 {moves} 步"},
    "solved_move": {"en": "1 move", "zh": "用了 1 步"},
    "complete": {"en": "All levels complete!", "zh": "全部关卡完成！"},
    "blocked": {"en": "Blocked: no way in that direction.", "zh": "此路不通：不能这样移动。"},
    "locked": {"en": "Locked: solve the levels before it first.", "zh": "未解锁：请先完成前面的关卡。"},
}

TIERS: Mapping[str, Mapping[str, str]] = {
    "default": {"en": "Classic", "zh": "经典"},
    "easy": {"en": "Easy", "zh": "简单"},
    "medium": {"en": "Medium", "zh": "中等"},
    "hard": {"en": "Hard", "zh": "困难"},
    "extreme": {"en": "Extreme", "zh": "极难"},
    "nightmare": {"en": "Nightmare", "zh": "噩梦"},
    "expert": {"en": "Expert", "zh": "专家"},
}

LANGUAGE_NAMES = {"en": "English", "zh": "中文"}


def label(key: str, lang: str, **values: object) -> str:
    return LABELS[key][lang].format(**values)


def mark_text(mark: str, game: str | None, lang: str) -> str:
    """Why the last input did nothing, in the game's own words where it has some."""
    refusals = GAMES[game].refusals if game else {}
    return refusals[mark][lang] if mark in refusals else label(mark, lang)


def tier_name(tier: str, lang: str) -> str:
    """A tier of a user's own keeps its name."""
    return TIERS[tier][lang] if tier in TIERS else tier.replace("_", " ").capitalize()


def all_texts() -> Iterator[tuple[str, str]]:
    """Every text that may have to be drawn, with where it is from; a test looks for their glyphs."""
    for name, by_language in (*LABELS.items(), *TIERS.items()):
        for lang, text in by_language.items():
            yield f"label {name!r} ({lang})", text
    for lang, text in LANGUAGE_NAMES.items():
        yield f"language name ({lang})", text
    for game in GAMES.values():
        for lang in ("en", "zh"):
            yield f"title of {game.name} ({lang})", game.title[lang]
            yield f"hint of {game.name} ({lang})", game.hint[lang]
            for reason, told in game.refusals.items():
                yield f"refusal {reason!r} of {game.name} ({lang})", told[lang]
