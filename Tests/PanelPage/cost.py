"""Measures what the panel costs the process that plays: with a page open, and without.

    .build/ci-panel/bin/python Tests/PanelPage/cost.py [SECONDS]
"""

import json
import os
import pathlib
import sys

from playwright.sync_api import sync_playwright

from page import Page, open_browser
from stage import Pulse, Run, mixer_patch

TICKS = os.sysconf("SC_CLK_TCK")


def times(process):
    """Seconds of processor time by thread: of those in the real-time class, and of the others."""
    rendering = others = 0
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
        except FileNotFoundError:
            continue
        spent = (int(fields[11]) + int(fields[12])) / TICKS
        if int(fields[38]) != 0:
            rendering += spent
        else:
            others += spent
    return rendering, others


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20
    pulse = Pulse()
    try:
        with sync_playwright() as playwright:
            browser = open_browser(playwright)
            for name, patch in (("2 inputs and 3 taps", mixer_patch(2)), ("64 inputs and 3 taps", mixer_patch(64))):
                file = pulse.folder / "cost.json"
                file.write_text(json.dumps(patch))
                run = Run(pulse, file)
                try:
                    shares = {}
                    for state in ("closed", "open"):
                        panel = Page(browser, run.address) if state == "open" else None
                        waiter = panel.page if panel else browser.new_page()
                        waiter.wait_for_timeout(3000)
                        before = times(run.process.pid)
                        begin = waiter.evaluate("performance.now()")
                        waiter.wait_for_timeout(seconds * 1000)
                        took = (waiter.evaluate("performance.now()") - begin) / 1000
                        after = times(run.process.pid)
                        shares[state] = [(late - early) / took * 100 for early, late in zip(before, after)]
                        if panel:
                            panel.close()
                        else:
                            waiter.close()
                finally:
                    run.close()
                (render, other), (render_open, other_open) = shares["closed"], shares["open"]
                print(f"{name}: the panel takes {other_open - other:.1f} % of a core "
                      f"({other:.1f} % without, {other_open:.1f} % with it); "
                      f"rendering {render:.1f} % without, {render_open:.1f} % with it")
            browser.close()
    finally:
        pulse.close()


if __name__ == "__main__":
    main()
