"""The checker is given a good history, and then the same history with each kind of violation in it."""

import copy
import unittest

import history
from checker import Facts, check
from history import Answer

PAID, FAILED, OPEN, LIVE = "s-paid", "s-failed", "s-open", "s-live"


def good():
    """A history and the facts that belong to it: three sandbox sessions and a live one."""
    answers = [
        Answer("create", "k1", 0, 1.0, 1.1, "503 unavailable"), Answer("create", "k1", 0, 1.2, 1.3, "ok", PAID),
        Answer("create", "k2", 1, 1.0, 1.4, "ok", FAILED), Answer("create", "k3", 1, 1.0, 1.5, "ok", OPEN),
        Answer("create", "k4", 0, 1.0, 1.5, "ok", LIVE),
        # Begun before the outcome was answered: it may say pending.
        Answer("read", PAID, 1, 1.9, 2.6, "ok", "pending"),
        Answer("outcome", PAID, 0, 2.0, 2.5, "ok", "paid"), Answer("outcome", PAID, 1, 2.0, 2.5, "409 session_not_pending"),
        Answer("outcome", FAILED, 1, 2.0, 2.5, "ok", "failed"),
        Answer("read", PAID, 1, 3.0, 3.1, "ok", "paid"), Answer("read", OPEN, 0, 3.0, 3.1, "ok", "pending"),
        Answer("pay", LIVE, 0, 2.0, 2.1, "ok", "/bank/1"), Answer("decide", LIVE, 0, 2.2, 2.3, "ok", "approve"),
    ]
    sessions = {PAID: "paid", FAILED: "failed", OPEN: "pending", LIVE: "paid"}
    facts = Facts(
        sessions=sessions, live={LIVE}, orders={PAID: "k1", FAILED: "k2", OPEN: "k3", LIVE: "k4"},
        shown=[dict(sessions), dict(sessions)],
        callbacks=[(2.7, "e1", PAID, "paid", b"1"), (2.8, "e2", FAILED, "failed", b"2"), (2.9, "e2", FAILED, "failed", b"2"),
                   (2.9, "e3", LIVE, "paid", b"3")],
        bank={LIVE: "approve"}, booked={LIVE: 1})
    return answers, facts


class Checker(unittest.TestCase):
    def finds(self, change, *kinds):
        """The kinds of violations that are found after a change, and no others."""
        answers, facts = good()
        answers, facts = copy.deepcopy(answers), copy.deepcopy(facts)
        change(answers, facts)
        self.assertEqual(set(check(answers, facts).violations()), set(kinds))

    def test_a_good_history_has_no_violation(self):
        verdict = check(*good())
        self.assertEqual(verdict.violations(), {})
        self.assertEqual((verdict.sessions, verdict.reads, verdict.duplicates), (4, 3, 1))

    def test_an_acknowledged_session_that_is_not_stored_is_lost(self):
        def change(_, facts):
            del facts.sessions[OPEN], facts.orders[OPEN]
        self.finds(change, "lost")

    def test_a_session_that_one_node_does_not_know_is_lost(self):
        self.finds(lambda _, facts: facts.shown[1].update({OPEN: "404 not_found"}), "lost")

    def test_a_node_that_does_not_answer_in_the_end_is_found(self):
        self.finds(lambda _, facts: facts.shown[1].pop(OPEN), "contradictory")

    def test_an_acknowledged_outcome_that_is_stored_as_pending_is_lost(self):
        def change(_, facts):
            facts.sessions[FAILED] = "pending"
            facts.callbacks = [callback for callback in facts.callbacks if callback[2] != FAILED]
            for shown in facts.shown:
                shown[FAILED] = "pending"
        self.finds(change, "lost")

    def test_a_session_with_two_acknowledged_outcomes_is_contradictory(self):
        self.finds(lambda answers, _: answers.append(Answer("outcome", PAID, 1, 2.0, 2.5, "ok", "failed")), "contradictory")

    def test_a_callback_with_another_outcome_is_contradictory(self):
        self.finds(lambda _, facts: facts.callbacks.append((9.0, "e9", PAID, "failed", b"9")), "contradictory")

    def test_a_stored_outcome_that_differs_from_the_answer_is_contradictory(self):
        def change(_, facts):
            facts.sessions[FAILED] = "expired"
            facts.callbacks = [c for c in facts.callbacks if c[2] != FAILED] + [(2.8, "e2", FAILED, "expired", b"2")]
            for shown in facts.shown:
                shown[FAILED] = "expired"
        self.finds(change, "contradictory")

    def test_two_sessions_of_one_key_are_contradictory(self):
        self.finds(lambda answers, _: answers.append(Answer("create", "k1", 1, 4.0, 4.1, "ok", OPEN)), "contradictory")
        self.finds(lambda _, facts: facts.orders.update({"other": "k1"}), "contradictory")

    def test_a_create_without_an_end_is_found(self):
        self.finds(lambda answers, _: answers.append(Answer("create", "k9", 1, 4.0, 4.1, "503 unavailable")), "unexpected")

    def test_a_missing_callback_is_lost(self):
        self.finds(lambda _, facts: facts.callbacks.pop(0), "callbacks_lost")

    def test_a_callback_whose_bytes_change_is_contradictory(self):
        self.finds(lambda _, facts: facts.callbacks.append((9.0, "e1", PAID, "paid", b"other")), "contradictory")

    def test_pending_after_final_is_stale(self):
        self.finds(lambda answers, _: answers.append(Answer("read", PAID, 1, 2.6, 2.7, "ok", "pending")), "stale")

    def test_pending_after_a_callback_is_stale(self):
        self.finds(lambda answers, _: answers.append(Answer("read", LIVE, 1, 3.0, 3.1, "ok", "pending")), "stale")

    def test_missing_after_final_is_stale(self):
        self.finds(lambda answers, _: answers.append(Answer("read", PAID, 1, 2.6, 2.7, "404 not_found")), "stale")

    def test_missing_after_an_acknowledged_create_is_stale(self):
        self.finds(lambda answers, _: answers.append(Answer("read", OPEN, 0, 1.6, 1.7, "404 not_found")), "stale")

    def test_money_that_is_not_booked_is_found(self):
        self.finds(lambda _, facts: facts.booked.clear(), "money")

    def test_money_that_is_booked_twice_or_never_came_is_found(self):
        self.finds(lambda _, facts: facts.booked.update({LIVE: 2}), "money")
        self.finds(lambda _, facts: facts.booked.update({"other": 1}), "money")

    def test_an_unbalanced_ledger_is_found(self):
        self.finds(lambda _, facts: setattr(facts, "unbalanced", 1), "money")

    def test_an_approved_payment_of_a_session_that_is_not_paid_is_found(self):
        def change(_, facts):
            facts.sessions[LIVE] = "pending"
            facts.callbacks.pop()
            for shown in facts.shown:
                shown[LIVE] = "pending"
        self.finds(change, "money")

    def test_a_confirmed_decision_that_the_bank_does_not_have_is_lost(self):
        self.finds(lambda answers, _: answers.append(Answer("decide", "other", 0, 5.0, 5.1, "ok", "approve")), "lost")

    def test_what_verify_finds_is_found(self):
        self.finds(lambda _, facts: facts.verify.append("live: the ledger sums up to zero"), "verify")

    def test_answers_that_no_fault_explains_are_found(self):
        for result in "500 internal", "503 unavailable without Retry-After", "404 page":
            self.finds(lambda answers, _, r=result: answers.append(Answer("outcome", OPEN, 0, 5.0, 5.1, r)), "unexpected")


class Gaps(unittest.TestCase):
    def test_the_longest_time_without_an_acknowledged_create_counts_to_both_ends(self):
        answers = [Answer("create", "k", 0, at - 0.1, at, "ok", "s") for at in (11.0, 12.0, 17.0, 18.0)]
        answers += [Answer("create", "k", 1, 0.0, at, "ok", "s") for at in (9.0, 14.0, 21.0)]
        answers += [Answer("create", "k", 0, 0.0, 14.0, "503 unavailable"), Answer("read", "s", 0, 0.0, 14.5, "ok", "paid")]
        self.assertEqual(history.gap(answers, 0, 10.0, 20.0), 5.0)
        self.assertEqual(history.gap(answers, 1, 10.0, 20.0), 6.0)
        self.assertEqual(history.gap(answers, 2, 10.0, 20.0), 10.0)
        self.assertEqual(history.first_after(answers, 0, 12.0), 5.0)


if __name__ == "__main__":
    unittest.main()
