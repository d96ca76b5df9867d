"""The panel with patches that nobody has thought of, and with people who do what they like.

    bash .ci/panel
"""

import json
import math
import pathlib
import re
import subprocess
import unittest

from axe import violations
from case import PanelCase
from stage import Run, desk_patch, mixer_patch, wait_for

INPUT_VOLUME = "/nodes/mixer/inputs/0/parameters/volume"
NAMES = [
    "a name of sixty characters, which is longer than any strip is", "日本語の楽器", "الطبل الكبير", "гитара и бубен",
    "<img src=x onerror=alert(1)>", "\"quoted\" & 'single' &amp;", "🥁 drums 🎸", "é́ñ Ǆ ŵ", "~tilde~0 ~1", "x",
]


def named_patch():
    """A tone of each name, into a mixer whose name is no better."""
    mixer = "<b>mixer</b> & more".replace("/", "")
    return {
        "schemaVersion": 1, "title": "<b>Bold</b> & “quoted” العربية",
        "streamFormat": {"sample": "float32", "channels": 2, "sampleRate": 48000},
        "callbacks": {name: {"kind": "tone", "amplitude": 0.01} for name in NAMES},
        "nodes": {
            mixer: {"component": "MultichannelMixer", "inputCount": len(NAMES),
                    "inputs": {str(bus): {"properties": {"meteringMode": True}} for bus in range(len(NAMES))}},
            "io": {"component": "remoteIO"},
        },
        "connections": [*({"from": name, "to": f"{mixer}:{bus}"} for bus, name in enumerate(NAMES)),
                        {"from": mixer, "to": "io"}],
    }


def spoken_level(value):
    """A factor as a strip says it."""
    return f"{20 * math.log10(value):.1f}".replace("-", "−")


class StrangerTests(PanelCase):
    # Patches

    def test_one_node_is_a_graph(self):
        run = self.play({
            "streamFormat": {"sample": "float32", "channels": 2, "sampleRate": 48000},
            "callbacks": {"tone": {"kind": "tone", "amplitude": 0.1}}, "nodes": {"io": {"component": "remoteIO"}},
            "connections": [{"from": "tone", "to": "io"}]})
        for options in ({}, {"is_phone": True}):
            panel = self.open(run, **options)
            page = panel.page
            panel.show("graph")
            panel.waits_until("the map", lambda: page.locator("#graph-view g[data-node=io]").is_visible())
            self.assertEqual(violations(page), [])
            panel.inspect("tone")
            page.locator('#controls [data-slider="/callbacks/tone/amplitude"]').press("PageDown")
            wait_for("a quieter tone", lambda: run.value("/callbacks/tone/amplitude") < 0.1)
            run.put("/callbacks/tone/amplitude", 0.1)
            self.ends_well(panel)
            panel.close()

    def test_a_hundred_buses_are_two_gestures_away(self):
        run = self.play(mixer_patch(100))
        panel = self.open(run)
        page = panel.page
        self.assertEqual(page.locator(".strip-view").count(), 101)
        self.assertEqual(page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
        page.keyboard.press("/")
        page.keyboard.type("in 87")
        page.keyboard.press("Enter")
        panel.waits_until("the strip", lambda: page.evaluate(
            "document.activeElement.closest('[data-strip]')?.dataset.strip") == "mixer/input/87")
        page.fill("#strip-search", "")
        # Or by one press on the bridge, which has all of them.
        panel.waits_until("the bridge", lambda: page.locator(".bridge").is_visible())
        box = page.locator(".bridge").bounding_box()
        page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 10)
        panel.waits_until("the last", lambda: page.locator('[data-strip="mixer/input/99"]').evaluate(
            "e => { const [own, rack] = [e, e.closest('.rack')].map(one => one.getBoundingClientRect());"
            " return own.right <= rack.right + 1 && own.left >= rack.left; }"))
        # The Tab key goes from left to right.
        places = page.locator(".rack .strip-view").evaluate_all("all => all.map(one => one.offsetLeft)")
        self.assertEqual(places, sorted(places))
        self.ends_well(panel)

    def test_names_are_texts_whatever_they_are_made_of(self):
        run = self.play(named_patch())
        for options in ({}, {"is_phone": True, "color_scheme": "dark"}):
            panel = self.open(run, **options)
            page = panel.page
            self.assertEqual(page.locator("img, h1 b, .strip-name b").count(), 0)
            self.assertEqual(panel.text("#title"), "<b>Bold</b> & “quoted” العربية")
            for bus, name in enumerate(NAMES):
                strip = page.locator(f'.strip-view[data-strip$="/input/{bus}"] .strip-name')
                self.assertEqual(strip.locator("strong").text_content(), name)
                self.assertIn(name, strip.get_attribute("title"))
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
            page.fill("#strip-search", "الطبل")
            panel.waits_until("one and the main", lambda: page.locator(".strip-view:visible").count() == 2)
            page.fill("#strip-search", "")
            self.assertEqual(violations(page), [])
            panel.show("graph")
            panel.waits_until("the map", lambda: page.locator("#graph-view g.box").count() == len(NAMES) + 2)
            # No name is longer than its box.
            self.assertEqual(page.locator("#graph-view g.box").evaluate_all("""all => all.filter(box => {
              const [frame, name] = ["rect", ".name"].map(one => box.querySelector(one).getBoundingClientRect());
              return name.right > frame.right + 1;
            }).map(box => box.textContent)"""), [])
            self.assertEqual(violations(page), [])
            panel.inspect(NAMES[0])
            panel.waits_until("its controls", lambda: page.locator("#controls [data-slider]").count())
            self.ends_well(panel)
            panel.close()

    # The machine

    def test_a_device_that_is_lost_is_said_and_comes_back(self):
        run = self.play(mixer_patch(), "--wait-device")
        panel = self.open(run)
        page = panel.page
        control = lambda *words: subprocess.run(
            ["pactl", f"--server=unix:{self.pulse.socket}", *words], capture_output=True, text=True, check=True,
            env=self.pulse.environment).stdout
        control("unload-module", "module-null-sink")
        try:
            panel.waits_until("word of it", lambda: "No device" in panel.text("#clock"))
            self.assertEqual(violations(page), [])
            # What is turned meanwhile counts when it plays again.
            panel.slider(INPUT_VOLUME).press("PageDown")
            wait_for("the change", lambda: run.value(INPUT_VOLUME) < 0.3)
        finally:
            control("load-module", "module-null-sink", "sink_name=out", "format=float32le", "rate=48000", "channels=2",
                    "norewinds=1")
        panel.waits_until("that it plays", lambda: "Playing" in panel.text("#clock"))
        self.assertEqual(panel.spoken(INPUT_VOLUME), "−12.0 decibels")
        self.ends_well(panel)

    def test_a_run_that_dies_is_said_and_another_patch_takes_its_place(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        run.process.kill()
        run.process.wait()
        panel.waits_until("word of it", lambda: "No connection" in panel.text("#connection"))
        panel.slider(INPUT_VOLUME).press("PageDown")
        panel.waits_until("that nothing is changed", lambda: "Not changed" in panel.text("#messages"))
        self.assertEqual(panel.spoken(INPUT_VOLUME), "−6.0 decibels")
        file = self.pulse.folder / "another.json"
        file.write_text(json.dumps({**desk_patch(2, 3), "title": "Another desk"}))
        again = Run(self.pulse, file, port=run.port)
        self.addCleanup(again.close)
        panel.waits_until("the next run", lambda: panel.text("#title") == "Another desk")
        panel.waits_until("its strips", lambda: page.locator(".strip-view").count() == 11)
        self.assertEqual(page.locator('.strip-view[data-strip^="mixer"]').count(), 0)
        panel.show("graph")
        panel.waits_until("its map", lambda: page.locator('#graph-view g[data-node="Drums"]').count() == 1)
        panel.show("console")
        panel.slider("/nodes/Drums/inputs/0/parameters/volume").press("Home")
        wait_for("a change of it", lambda: again.value("/nodes/Drums/inputs/0/parameters/volume") == 0)

    # People

    def test_two_who_turn_the_same_fader_at_once_end_with_the_same(self):
        run = self.play(mixer_patch())
        one, other = self.open(run), self.open(run)
        for _ in range(12):
            one.slider(INPUT_VOLUME).press("ArrowDown")
            other.slider(INPUT_VOLUME).press("ArrowUp")
        both = lambda: {one.spoken(INPUT_VOLUME), other.spoken(INPUT_VOLUME)}
        def same():
            one.page.wait_for_timeout(100)
            value = run.value(INPUT_VOLUME)
            level = f"{spoken_level(value)} decibels"
            return both() == {level}
        one.waits_until("the same", same)
        self.ends_well(one, other)

    def test_a_reload_during_a_take_loses_nothing_of_it(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        wait_for("the tone", lambda: run.level() > -60)
        panel.waits_until("the button", lambda: page.locator("#record").is_enabled())
        page.locator("#record").click()
        path = wait_for("a take", lambda: (run.value("/taps/take") or {}).get("path"))
        page.wait_for_timeout(1500)
        panel.load()
        panel.waits_until("that it records", lambda: page.locator("#record").get_attribute("aria-pressed") == "true")
        # It goes on counting from where the take began.
        panel.waits_until("its time", lambda: re.fullmatch("Stop recording 0:0[2-9]", panel.page.locator(
            "#record .word").text_content()))
        page.locator("#record").click()
        wait_for("the end", lambda: run.value("/taps/take") is None)
        file = pathlib.Path(self.pulse.folder / path)
        wait_for("all of it", lambda: file.exists() and file.stat().st_size > 48000 * 2 * 2 * 1.5)
        panel.beside("taps")
        panel.waits_until("the take", lambda: path in panel.text("#takes"))
        self.ends_well(panel)

    def test_two_fingers_zoom_the_map_and_one_moves_it(self):
        panel = self.open(self.play(desk_patch(2, 3)), is_phone=True)
        page = panel.page
        panel.show("graph")
        drawing = page.locator("#graph-view svg.drawing")
        panel.waits_until("the map", drawing.is_visible)
        page.wait_for_timeout(300)
        before = drawing.bounding_box()
        view = page.locator("#graph-view").bounding_box()
        x, y = view["x"] + view["width"] / 2, view["y"] + view["height"] / 2
        hand = panel.context.new_cdp_session(page)
        touch = lambda kind, *points: hand.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})
        touch("touchStart", (x - 30, y), (x + 30, y))
        for step in range(1, 7):
            touch("touchMove", (x - 30 - 10 * step, y), (x + 30 + 10 * step, y))
        touch("touchEnd")
        panel.waits_until("a larger one", lambda: drawing.bounding_box()["width"] > before["width"] * 2)
        page.wait_for_timeout(300)
        zoomed = drawing.bounding_box()
        touch("touchStart", (x, y))
        for step in range(1, 7):
            touch("touchMove", (x, y + 8 * step))
        touch("touchEnd")
        panel.waits_until("another place", lambda: abs(drawing.bounding_box()["y"] - zoomed["y"] - 48) < 3)
        # The page stays where it is, and as large.
        self.assertEqual(page.evaluate("[visualViewport.scale, scrollY]"), [1, 0])
        self.ends_well(panel)

    def test_on_a_phone_strips_are_seen_whole(self):
        panel = self.open(self.play(desk_patch(4, 4)), is_phone=True)
        page = panel.page
        cut = page.locator(".rack").evaluate("""rack => {
          const end = rack.getBoundingClientRect().right;
          return [...rack.querySelectorAll(".strip-view")].filter(one => {
            const { left, right } = one.getBoundingClientRect();
            return left < end && right > end + 1;
          }).length;
        }""")
        self.assertEqual(cut, 0)
        # Nothing that is written on a strip is longer than its place.
        self.assertEqual(page.locator(".pins .readout").first.evaluate("e => e.scrollWidth - e.clientWidth"), 0)
        self.ends_well(panel)


if __name__ == "__main__":
    unittest.main(verbosity=2)
