"""Measures what the panel costs the process that plays, with a page open and without, and how smoothly its meters
move in a browser that draws by software.

    .build/ci-panel/bin/python Tests/PanelPage/cost.py [SECONDS]
    .build/ci-panel/bin/python Tests/PanelPage/cost.py frames [SECONDS]
"""

import json
import os
import pathlib
import sys

from playwright.sync_api import sync_playwright

from page import Page, open_browser
from stage import Pulse, Run, desk_patch, mixer_patch

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


FRAMES = """seconds => new Promise(resolve => {
  const times = [], tasks = [];
  new PerformanceObserver(list => tasks.push(...list.getEntries().map(entry => entry.duration)))
    .observe({ type: "longtask" });
  const begin = performance.now();
  const frame = time => {
    times.push(time);
    if (performance.now() - begin < seconds * 1000) requestAnimationFrame(frame);
    else resolve({ gaps: times.slice(1).map((time, index) => time - times[index]), tasks });
  };
  requestAnimationFrame(frame);
})"""


def frames(seconds):
    """Frames a second of the console and of the map, all meters on, and the tasks that took longer than 50 ms."""
    pulse = Pulse()
    try:
        with sync_playwright() as playwright:
            browser = open_browser(playwright)
            for groups, strips in ((4, 4), (5, 8), (20, 10)):
                file = pulse.folder / "frames.json"
                file.write_text(json.dumps(desk_patch(groups, strips)))
                run = Run(pulse, file)
                panel = Page(browser, run.address, viewport={"width": 1600, "height": 1000})
                page = panel.page
                usable = page.evaluate("performance.getEntriesByName('usable')[0].startTime")
                page.wait_for_timeout(4000)
                page.locator("#meters-on").click()
                page.wait_for_timeout(5000)
                for view in ("console", "graph"):
                    panel.show(view)
                    page.wait_for_timeout(1500)
                    found = page.evaluate(FRAMES, seconds)
                    gaps = sorted(found["gaps"])
                    print(f"{groups * strips} strips, {view}: {1000 * len(gaps) / sum(gaps):.1f} frames a second, "
                          f"95 % within {gaps[int(len(gaps) * 0.95)]:.1f} ms, worst {gaps[-1]:.1f} ms; "
                          f"tasks over 50 ms: {len(found['tasks'])}"
                          + (f", worst {max(found['tasks']):.0f} ms" if found["tasks"] else "")
                          + f"; usable after {usable:.0f} ms")
                panel.close()
                run.close()
            browser.close()
    finally:
        pulse.close()


def main():
    if sys.argv[1:2] == ["frames"]:
        frames(float(sys.argv[2]) if len(sys.argv) > 2 else 10)
        return
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
