"""Faults of a Patroni pair with a synchronous standby, and a promotion by hand of a pair without a manager."""

import time

import history
from scenario import as_fast_as_bare, scenario, within

LEFT_IN_HAND = 20.0


@scenario("switchover", "Patroni moves the leader on request", "F5, P4, P19", database="patroni", goals=within(5.0))
def switchover(ground):
    ground.database.switch_over()
    ground.settle()


@scenario("postmaster-killed", "the leader's postmaster is killed (kill -9)", "F5, P4", database="patroni",
          goals=as_fast_as_bare, short=True)
def postmaster_killed(ground):
    ground.database.leader().kill_postmaster()
    ground.settle()


@scenario("leader-killed", "the leader's node is killed: Patroni and PostgreSQL (kill -9)", "F5, P4, P19",
          database="patroni", goals=within(25.0))
def leader_killed(ground):
    leader = ground.database.leader()
    leader.kill()
    ground.settle()
    leader.start()
    ground.settle(5)


@scenario("leader-frozen", "the leader's node hangs for 30 s: Patroni and PostgreSQL (SIGSTOP)", "F5b, T38", database="patroni",
          goals=as_fast_as_bare)
def leader_frozen(ground):
    leader = ground.database.leader()
    leader.freeze()
    time.sleep(30)
    leader.thaw()
    ground.settle(8)


@scenario("etcd-gone", "etcd is gone for 40 s, so the leader demotes itself", "F5c", database="patroni", goals=as_fast_as_bare)
def etcd_gone(ground):
    ground.database.stop_etcd()
    time.sleep(40)
    ground.database.start_etcd()
    ground.settle()


@scenario("standby-gone", "the synchronous standby's node is killed (kill -9)", "F5d", database="patroni", goals=as_fast_as_bare)
def standby_gone(ground):
    standby = ground.database.standby()
    standby.kill()
    time.sleep(8)
    ground.settle()
    standby.start()
    ground.settle(5)


def after_the_cut(ground, figures, slack):
    """The node that was cut off serves within two seconds of the repair, and the other one all the time."""
    back = history.first_after(ground.history.copy(), 1, ground.marks["healed"])
    figures.notes["served_after_repair"] = round(back, 2)
    missed = [f"node 0 was silent for {figures.gaps[0]:.1f} s"] if figures.gaps[0] > 2.0 + slack else []
    return missed + ([f"node 1 served {back:.1f} s after the repair"] if back > 2.0 + slack else [])


@scenario("node-cut-off", "one of two nodes cannot reach the leader for 30 s; packets are dropped", "F5, T38",
          database="patroni", goals=after_the_cut, through=(1,))
def node_cut_off(ground):
    leader = ground.database.members.index(ground.database.leader())
    forwarder = ground.forwarders[1][leader]
    forwarder.order("partition")
    time.sleep(30)
    ground.mark("healed")
    forwarder.order("open")
    ground.settle()


def within_the_time_of_a_hand(ground, figures, slack):
    """Every node writes to the promoted server within the limit."""
    return [f"node {number} was silent for {gap:.1f} s" for number, gap in enumerate(figures.gaps) if gap > LEFT_IN_HAND + slack]


@scenario("promoted-by-hand", "the standby of a pair without a manager is promoted while the old primary lives", "T38, P4",
          database="pair", goals=within_the_time_of_a_hand)
def promoted_by_hand(ground):
    ground.database.servers[1].promote()
    ground.mark("promoted")
    ground.serve(10)
    time.sleep(5)
