"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

R = TypeVar("R")

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
workers_option = click.option(
    "--workers",
    envvar="LPB_WORKERS",
    default=lambda: os.cpu_count() or 1,
    show_default="one a core",
    type=click.IntRange(min=1),
    help="Processes; they change the speed, never the levels.",
)
cluster_option = click.option(
    "--cluster",
    envvar="DASK_SCHEDULER_ADDRESS",
    metavar="ADDRESS",
    help="A Dask scheduler, such as tcp://10.0.0.5:8786: its workers instead of processes here.",
)


def only_one(_: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> str | None:
    """For an option that is declared ``multiple`` so that a second one is told and not taken for the first."""
    if len(given) > 1:
        raise click.BadParameter(f"{' and '.join(given)}: give one of them, or none for all", param=parameter)
    return given[0] if given else None


def workforce_options(command: Callable[..., R]) -> Callable[..., R]:
    """``--workers`` and ``--cluster``, which the command gets as one ``Workforce``."""

    @workers_option
    @cluster_option
    @wraps(command)
    def with_workforce(*args: Any, workers: int, cluster: str | None, **options: Any) -> R:
        from .workers import Workforce

        return command(*args, workforce=Workforce(workers, cluster), **options)

    return with_workforce
