"""Measures what the panel costs the process that plays, with a page open and without; how smoothly it moves in a
browser that draws by software; and how soon it can be used.

    .build/ci-panel/bin/python Tests/PanelPage/cost.py [SECONDS]
    .build/ci-panel/bin/python Tests/PanelPage/cost.py frames [SECONDS]
    .build/ci-panel/bin/python Tests/PanelPage/cost.py start [TIMES]
"""

import json
import os
import pathlib
import statistics
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


# What somebody does meanwhile, as events of every frame: all that is moved by hand goes by them.
MOVE = """seconds => {
  const end = performance.now() + seconds * 1000;
  const element = document.querySelector("%s");
  const box = element.getBoundingClientRect();
  let count = 0;
  const frame = () => {
    count += 1;
    %s
    if (performance.now() < end) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
WHEEL = """element.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true,
      clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, %s }));"""
MOVES = {
    "rest": "() => {}",
    "scrolled": MOVE % (".rack", "element.scrollLeft += count % 240 < 120 ? 12 : -12;"),
    "panned": MOVE % ("#graph-view", WHEEL % "deltaX: count % 120 < 60 ? 7 : -7, shiftKey: true"),
    "zoomed": MOVE % ("#graph-view", WHEEL % "deltaY: count % 120 < 60 ? -12 : 12"),
}


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
                for view, moving in (("console", "rest"), ("console", "scrolled"), ("graph", "rest"), ("graph", "panned"),
                                     ("graph", "zoomed")):
                    panel.show(view)
                    page.wait_for_timeout(1500)
                    page.evaluate(MOVES[moving], seconds)
                    found = page.evaluate(FRAMES, seconds)
                    gaps = sorted(found["gaps"])
                    print(f"{groups * strips} strips, {view}, {moving}: {1000 * len(gaps) / sum(gaps):.1f} frames a second, "
                          f"95 % within {gaps[int(len(gaps) * 0.95)]:.1f} ms, worst {gaps[-1]:.1f} ms; "
                          f"tasks over 50 ms: {len(found['tasks'])}"
                          + (f", worst {max(found['tasks']):.0f} ms" if found["tasks"] else "")
                          + f"; usable after {usable:.0f} ms")
                panel.close()
                run.close()
            browser.close()
    finally:
        pulse.close()


FIRST = """() => {
  const mark = name => performance.getEntriesByName(name)[0]?.startTime;
  return { usable: mark("usable"), painted: mark("first-contentful-paint"), tasks: window.longTasks };
}"""
LONG_TASKS = """window.longTasks = [];
new PerformanceObserver(list => window.longTasks.push(...list.getEntries().map(entry => entry.duration)))
  .observe({ type: "longtask", buffered: true });"""


def start(times):
    """How long it takes from the beginning of the navigation until the strips with their values have been drawn and a
    task of the page has run after that, so that input is answered: for the first browser that comes to a run, for
    others that know nothing of the page, and for those that do. The page is not asked meanwhile, which would take its
    time."""
    pulse = Pulse()
    try:
        with sync_playwright() as playwright:
            browser = open_browser(playwright)
            for nodes, patch in ((3, mixer_patch(2)), (40, desk_patch(4, 4)), (200, desk_patch(20, 5))):
                file = pulse.folder / "start.json"
                file.write_text(json.dumps(patch))
                found = {"first": [], "cold": [], "warm": []}
                for _ in range(times):
                    run = Run(pulse, file)
                    for kinds in (("first",), ("cold", "warm")):
                        context = browser.new_context(viewport={"width": 1440, "height": 900})
                        page = context.new_page()
                        page.add_init_script(LONG_TASKS)
                        for kind in kinds:
                            page.goto("about:blank")
                            page.wait_for_timeout(300)
                            page.goto(run.address, wait_until="commit")
                            page.wait_for_timeout(3000)
                            found[kind].append(page.evaluate(FIRST))
                        context.close()
                    run.close()
                print(f"{nodes} nodes:")
                for kind, starts in found.items():
                    usable = sorted(one["usable"] for one in starts)
                    painted = statistics.median(one["painted"] for one in starts)
                    tasks = [task for one in starts for task in one["tasks"]]
                    print(f"  {kind}: usable after {statistics.median(usable):.0f} ms ({usable[0]:.0f} to {usable[-1]:.0f}), "
                          f"something is seen after {painted:.0f} ms; tasks over 50 ms a start: {len(tasks) / times:.1f}"
                          + (f", worst {max(tasks):.0f} ms" if tasks else ""))
            browser.close()
    finally:
        pulse.close()


def main():
    if sys.argv[1:2] == ["start"]:
        start(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
        return
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
