"""The register of scenarios. A scenario is a function that brings a fault about while a crowd is served, and repairs it."""

from dataclasses import dataclass, field
from typing import Callable

ALL = {}
# Added to every goal of the short form, in seconds: it runs beside other work, and only a collapse counts there.
SHORT_SLACK = 10.0


@dataclass
class Scenario:
    """What a scenario needs, and its goals.

    ids       of the design's promises, threats and faults
    database  plain (one server), pair (a primary and a synchronous standby without a manager, new for each run), patroni,
              or an embedded store, new for each run, on one of the disks of disk.py
    through   nodes that reach the database through forwarders
    goals     returns the goals that were not reached, given the ground, the figures, and the slack in seconds
    runs      in the long form
    short     whether the short form has it, once
    crowd     whether the ground's crowd, receiver and bare writer are used; otherwise the scenario measures by itself
    """

    name: str
    title: str
    ids: str
    act: Callable
    database: str = "plain"
    nodes: int = 2
    through: tuple = ()
    goals: Callable = lambda ground, figures, slack: []
    runs: int = 3
    short: bool = False
    crowd: bool = True
    settings: dict = field(default_factory=dict)


def scenario(name, title, ids, **more):
    """Registers a function under a name."""
    def register(act):
        ALL[name] = Scenario(name, title, ids, act, **more)
        return act
    return register


def within(limit):
    """P19: as fast as the bare writer, and no node is silent for longer than this in any case."""
    def goals(ground, figures, slack):
        return as_fast_as_bare(ground, figures, slack) + [
            f"node {number} was silent for {gap:.1f} s, more than {limit:g} s" for number, gap in enumerate(figures.gaps)
            if gap > limit + slack]
    return goals


def as_fast_as_bare(ground, figures, slack):
    """No node's gap is more than two seconds longer than the bare writer's."""
    return [f"node {number} was silent for {gap:.1f} s, the bare writer for {figures.bare:.1f} s"
            for number, gap in enumerate(figures.gaps) if gap > figures.bare + 2.0 + slack]
