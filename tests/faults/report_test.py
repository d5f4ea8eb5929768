"""The report shows what runs wrote, and hides nothing that was not good."""

import importlib.machinery
import importlib.util
import unittest

import machine

LOADER = importlib.machinery.SourceFileLoader("report", str(machine.ROOT / "tests/faults/report"))
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", LOADER))
LOADER.exec_module(report)

RUN = {"good": True, "sessions": 1200, "lost": 0, "money": 0, "verify": 0, "contradictory": 0, "stale": 0, "callbacks_lost": 0,
       "duplicates": 2, "gaps": [1.5, 1.7], "bare": 1.4, "steal": 0.01, "notes": {}, "missed": [], "violations": {}}


def figures(*runs):
    return {"fault": {"scenario": "fault", "title": "a fault", "date": "2026-11-18", "commit": "0123abcd", "machine": "2 cores",
                      "runs": list(runs)}}


class Report(unittest.TestCase):
    def test_a_row_sums_up_its_runs(self):
        text = report.text(figures(RUN, RUN | {"gaps": [2.5, 1.7], "bare": 1.4}))
        self.assertIn("| `fault` | a fault | 2 of 2 | 2,400 | 0, 0 | 0, 4 | 1.5 to 2.5 and 1.7 (1.4) | 2026-11-18, 0123abcd |", text)
        self.assertNotIn("not good", text)

    def test_a_run_that_was_not_good_is_shown(self):
        bad = RUN | {"good": False, "lost": 1, "violations": {"lost": ["session s is not stored"]}}
        text = report.text(figures(RUN, bad, {"good": False, "trouble": "no leader"}))
        self.assertIn("| 1 of 3 | 2,400 | 1, 0 |", text)
        self.assertIn("- `fault`, run 2: session s is not stored.", text)
        self.assertIn("- `fault`, run 3: no leader.", text)

    def test_a_skipped_run_is_neither_good_nor_bad_and_says_why(self):
        text = report.text(figures({"good": None, "skipped": "there is no netem"}) | {"other": figures(RUN)["fault"]})
        self.assertIn("| `fault` | a fault | skipped | – |", text)
        self.assertIn("### What was skipped: 1\n\n- `fault`: there is no netem.", text)
        self.assertNotIn("not good", text)

    def test_a_row_without_new_figures_stays(self):
        earlier = report.text({"other": figures(RUN)["fault"] | {"scenario": "other"}})
        text = report.text(figures(RUN), earlier)
        self.assertIn("| `other` | a fault | 1 of 1 | 1,200 |", text)
        self.assertIn("| `fault` | a fault | 1 of 1 | 1,200 |", text)
        again = report.text(figures(RUN | {"sessions": 7}), text)
        self.assertEqual(again.count("| `fault` |"), 1)
        self.assertIn("| `fault` | a fault | 1 of 1 | 7 |", again)

    def test_what_was_skipped_and_the_soak_stay(self):
        skipped = report.text(figures({"good": None, "skipped": "there is no netem"}) | {"other": figures(RUN)["fault"]})
        page = f"{skipped}\n\n### The soak\n\n9 sessions in 1 minutes\n\n| figure |\n\n### What else\n\nthe rest"
        other = {"other": figures(RUN)["fault"] | {"scenario": "other"}}
        text = report.text(other, page)
        self.assertIn("### The soak\n\n9 sessions in 1 minutes\n\n| figure |", text)
        self.assertIn("### What was skipped: 1\n\n- `fault`: there is no netem.", text)
        self.assertNotIn("What was skipped", report.text(figures(RUN), page))

    def test_the_disk_has_no_bare_writer(self):
        self.assertIn("| 1.5 and 1.7 | 2026", report.text(figures(RUN | {"bare": None})))

    def test_fail_points_are_counted(self):
        run = RUN | {"gaps": [], "notes": {"points": 29, "survived": 29, "seconds": 98}}
        text = report.text({"fail-points": figures(run)["fault"]})
        self.assertIn("ended at 29 of 29 fail points and started again, in 98 s; 0 violations", text)

    def test_the_simulation_has_its_figures(self):
        notes = {"payments": 1000000, "seeds": 100, "kills": 2500, "power failures": 1900, "clock jumps": 1800,
                 "cut requests": 17000, "planted": 23, "found": 22, "minutes": 61}
        run = RUN | {"gaps": [], "notes": notes, "violations": {"verify": ["f29 failed"]}}
        text = report.text({"simulation": figures(run)["fault"]})
        self.assertIn("1,000,000 payments of 100 seeds, with 2,500 kills, 1,900 power failures", text)
        self.assertIn("1 violations. 22 of 23 planted defects were found", text)
        self.assertIn("1,000,000 payments of 100 seeds", report.text(figures(RUN), text))


if __name__ == "__main__":
    unittest.main()
