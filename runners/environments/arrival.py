"""Registers the environments once Gymnasium is there, whichever of the two is imported first.

``gymnasium.make("lpb_gen:...")`` imports lpb_gen, which does nothing where that has been imported before; and lpb_gen
must not import Gymnasium, which most of its users do not have and nobody wants to wait for. So it watches out for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

GYMNASIUM = "gymnasium"


def register_when_gymnasium_is_there() -> None:
    if GYMNASIUM in sys.modules:
        from .registration import register

        register()
    elif not any(isinstance(finder, _Watch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watch())


class _Watch:
    """On ``sys.meta_path``: finds nothing itself, but has Gymnasium's loader register the environments in the end."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != GYMNASIUM:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, self)  # type: ignore[assignment]
                return spec
        return None


class _Loader:
    """Gymnasium's own loader, and one thing more."""

    def __init__(self, loader: Any, watch: _Watch) -> None:
        self._loader, self._watch = loader, watch

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader  # nobody shall see that we were here
        self._loader.exec_module(module)
        if self._watch in sys.meta_path:
            sys.meta_path.remove(self._watch)
        from .registration import register

        register()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
