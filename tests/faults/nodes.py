"""Faults of the nodes themselves, on one plain server."""

import time

from scenario import scenario


def other_serves_on(ground, figures, slack):
    """The other node does not notice."""
    gap = figures.gaps[1]
    return [f"node 1 was silent for {gap:.1f} s"] if gap > 2.0 + slack else []


@scenario("node-killed", "one of two nodes is killed (kill -9) and started again", "F1, P7", goals=other_serves_on, short=True,
          settings={"TILL_LEASE": "10s"})
def node_killed(ground):
    ground.nodes[0].kill()
    ground.serve(60, [1])
    ground.nodes[0].start()
    ground.settle(1)


@scenario("node-frozen", "one of two nodes hangs for 45 s and continues", "F6b, P7", goals=other_serves_on)
def node_frozen(ground):
    ground.nodes[0].freeze()
    time.sleep(45)
    ground.nodes[0].thaw()
    ground.settle()
