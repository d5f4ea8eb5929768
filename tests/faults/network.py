"""Faults of the network between nodes and database, on one plain server: delay, resets and silence, by forwarders.
packets.py does the same to single packets, where root is there."""

import time

import history
from scenario import scenario


def both_serve(ground, figures, slack):
    """The node behind the bad network serves on, more slowly, and the other does not notice."""
    limits = 2.0, 5.0
    return [f"node {number} was silent for {gap:.1f} s" for number, (gap, limit) in enumerate(zip(figures.gaps, limits))
            if gap > limit + slack]


@scenario("network-slow", "every packet between one node and the database is 100 ms late, for 20 s", "F21", through=(1,),
          goals=both_serve, runs=2)
def network_slow(ground):
    ground.forwarders[1][0].order("delay 100")
    time.sleep(20)
    ground.forwarders[1][0].order("open")
    ground.settle()


@scenario("network-resets", "one piece of data in 50 between one node and the database resets its connection, for 20 s", "F21",
          through=(1,), goals=both_serve, runs=2, short=True, settings={"TILL_LEASE": "10s"})
def network_resets(ground):
    ground.forwarders[1][0].order("loss 0.02")
    time.sleep(ground.lasts(20, short=4))
    ground.forwarders[1][0].order("open")
    ground.settle(ground.lasts(3, short=1))


def both_return(ground, figures, slack):
    """Each node serves within two seconds of the repair."""
    answers, missed = ground.history.copy(), []
    for node in ground.nodes:
        back = history.first_after(answers, node.number, ground.marks["healed"])
        figures.notes[f"node_{node.number}_served_after_repair"] = round(back, 2)
        if back > 2.0 + slack:
            missed.append(f"node {node.number} served {back:.1f} s after the repair")
    return missed


@scenario("network-split", "no node reaches the database for 15 s; packets are dropped", "F21", through=(0, 1),
          goals=both_return, runs=2)
def network_split(ground):
    forwarders = [one for all_of_a_node in ground.forwarders.values() for one in all_of_a_node]
    for forwarder in forwarders:
        forwarder.order("partition")
    time.sleep(15)
    ground.mark("healed")
    for forwarder in forwarders:
        forwarder.order("open")
    ground.settle()
