"""The control panel in a real browser, with the real program on a PulseAudio of its own.

    bash .ci/panel

PATCHRUN names another program, CHROMIUM another browser.
"""

import json
import math
import os
import pathlib
import re
import subprocess
import unittest

from axe import violations
from case import PanelCase
from stage import PACKAGE, PROGRAM, Run, desk_patch, mixer_patch, space_patch, wait_for

VOLUME = "/nodes/mixer/outputs/0/parameters/volume"
INPUT_VOLUME = "/nodes/mixer/inputs/0/parameters/volume"
PAN = "/nodes/mixer/inputs/0/parameters/pan"
LIMIT = 400_000


def decibels(gain):
    return 20 * math.log10(gain)


class PanelTests(PanelCase):
    # Contents

    def test_the_page_shows_the_graph_and_weighs_little(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        self.assertEqual(panel.text("#title"), "Steady tones")
        boxes = page.locator("#graph-view g[data-node]").evaluate_all(
            "boxes => boxes.map(box => box.dataset.node)")
        self.assertEqual(set(boxes), {"eq", "mixer", "io"})
        panel.show("graph")
        self.assertIn("48000 Hz, float32", page.locator("#graph-view").text_content())
        self.assertIn("eq/output/0 mixer/input/1", page.locator("#graph-view [data-from]").evaluate_all(
            "edges => edges.map(edge => `${edge.dataset.from} ${edge.dataset.to}`)"))
        # Every control has a slider or a switch.
        controls = run.read("/controls")["controls"]
        self.assertGreater(len(controls), 10)
        for details in page.locator("#controls details").all():
            details.evaluate("details => details.open = true")
        panel.waits_until("all controls", lambda: not [
            one["pointer"] for one in controls if not panel.slider(one["pointer"]).count()])
        self.assertEqual(panel.spoken(VOLUME), "0.0 decibels")
        panel.beside("taps")
        panel.waits_until("a reading of loudness", lambda: "LUFS" in panel.text("#taps"))
        self.assertGreater(page.locator("#controls svg.response .curve").get_attribute("d").count("L"), 100)
        # The editor is loaded after the rest.
        panel.edit()
        weights = panel.weights
        self.assertIn("/panel/codemirror.js", weights)
        total = sum(weights.values())
        # Files from the disk are not compressed.
        if not os.environ.get("PANEL_FROM_DISK"):
            self.assertLess(total, LIMIT)
        usable = page.evaluate("performance.getEntriesByName('usable')[0].startTime")
        editor = page.evaluate("performance.getEntriesByName("
                               "new URL('/panel/codemirror.js', location).href)[0].startTime")
        self.assertGreater(editor, usable)
        print(f"\npanel: {total / 1000:.0f} kB, usable after {usable:.0f} ms")
        self.ends_well(panel)

    def test_the_graph_leads_to_the_controls(self):
        panel = self.open(self.play(mixer_patch()))
        panel.inspect("mixer")
        self.assertEqual(panel.page.evaluate(
            "document.activeElement.closest('[data-card]').dataset.card"), "mixer")
        self.ends_well(panel)

    def test_how_late_a_bus_is_stands_on_it_and_follows_the_unit(self):
        patch = {
            "streamFormat": {"sample": "float32", "channels": 2, "sampleRate": 48000},
            "callbacks": {"tone": {"kind": "tone", "frequency": 440, "amplitude": 0.1}},
            "nodes": {
                "split": {"component": "Splitter"},
                "limit": {"component": "PeakLimiter", "properties": {"lookAhead": 0.002}},
                "mixer": {"component": "MultichannelMixer", "inputCount": 2},
                "io": {"component": "remoteIO"},
            },
            "connections": [
                {"from": "tone", "to": "split"}, {"from": "split:0", "to": "mixer:0"},
                {"from": "split:1", "to": "limit"}, {"from": "limit", "to": "mixer:1"},
                {"from": "mixer", "to": "io"}],
        }
        run = self.play(patch)
        panel = self.open(run)
        strip = '[data-card="mixer"] [data-bus="input/{}"] .bus-latency'
        late = lambda: panel.text(strip.format(1))
        panel.waits_until("a latency", panel.page.locator(strip.format(1)).count)
        self.assertRegex(late(), r"^[0-9.]+ ms late$")
        before = float(late().split()[0])
        self.assertEqual(panel.page.locator(strip.format(0)).count(), 0)
        self.assertEqual(panel.text('[data-card="limit"] h2 .bus-latency'), late())
        # A short time is shown and entered in milliseconds.
        attack = panel.slider("/nodes/limit/parameters/attackTime")
        self.assertEqual(attack.get_attribute("aria-valuetext"), "12 milliseconds")
        field = panel.page.locator('[data-card="limit"] .knob .readout').first
        field.fill("2.5")
        field.press("Enter")
        panel.waits_until("2.5 ms", lambda: run.value("/nodes/limit/parameters/attackTime") == 0.0025)
        self.assertEqual(field.input_value(), "2.50 ms")
        run.put("/nodes/limit/properties/lookAhead", 0.02)
        panel.waits_until("more of it", lambda: float(late().split()[0]) == round(before + 18, 2))
        run.put("/compensateLatency", True)
        panel.waits_until("a delay", lambda: panel.page.locator(strip.format(0)).count() == 1
                          and "delayed by" in panel.text(strip.format(0)))
        self.ends_well(panel)

    # The console

    def test_the_console_is_one_screen_high_and_has_a_strip_for_each_fader(self):
        run = self.play(desk_patch(4, 4))
        panel = self.open(run)
        page = panel.page
        self.assertEqual(page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
        strips = page.locator(".strip-view").evaluate_all("all => all.map(one => one.dataset.strip)")
        faders = [f"{one['node']}/{one['scope']}/{one['element']}" for one in run.read("/controls")["controls"]
                  if one["name"] == "volume" and one["isUsed"]]
        self.assertEqual(sorted(strips), sorted(faders))
        # A group is as wide as its strips, and one press folds it.
        drums = page.locator('.strip-view[data-strip^="Drums/input/"]')
        self.assertEqual(drums.count(), 4)
        page.locator('.chip[data-group="Drums"]').click()
        panel.waits_until("no drums", lambda: not drums.first.is_visible())
        page.locator('.folded').click()
        panel.waits_until("drums", lambda: drums.first.is_visible())
        # The main strip stays in place when the others scroll.
        main = page.locator('[data-strip="Main/output/0"]')
        before = main.bounding_box()
        page.locator(".rack").evaluate("rack => rack.scrollLeft = 5000")
        self.assertEqual(main.bounding_box(), before)
        page.locator(".rack").evaluate("rack => rack.scrollLeft = 0")
        page.locator('[data-strip="Drums/input/0"] .strip-name').focus()
        page.keyboard.press("p")
        panel.waits_until("a pinned strip", lambda: page.locator(".pins .strip-view").count() == 2)
        page.keyboard.press("p")
        panel.waits_until("it is back", lambda: page.locator(".pins .strip-view").count() == 1)
        page.locator(".strip-name").first.click()
        for view in ("graph", "timeline", "console"):
            panel.show(view)
            page.wait_for_timeout(400)
            self.assertEqual(violations(page), [], view)
        self.ends_well(panel)

    def test_no_strip_is_cut_by_the_edge_of_the_console(self):
        panel = self.open(self.play(desk_patch(4, 4)))
        for width in (390, 820, 1101, 1280, 1440, 1600, 1920):
            panel.page.set_viewport_size({"width": width, "height": 900})
            panel.waits_until("the row fits its console", lambda: panel.page.evaluate("""() => {
                const edge = document.querySelector(".rack").getBoundingClientRect().right;
                const strips = [...document.querySelectorAll(".rack .strip-view")].map(one => one.getBoundingClientRect());
                return strips.length > 0 && !strips.some(({ left, right }) => left < edge - 1 && right > edge + 1);
            }"""))

    def test_strips_are_searched_and_chosen(self):
        panel = self.open(self.play(desk_patch(4, 4)))
        page = panel.page
        page.keyboard.press("/")
        page.keyboard.type("keys tom")
        panel.waits_until("one strip and the main", lambda: page.locator(".strip-view:visible").count() == 2)
        page.keyboard.press("Enter")
        panel.waits_until("its way", lambda: page.locator(".way button").count() == 3)
        self.assertEqual(page.locator("#controls [data-card]").evaluate_all("all => all.map(one => one.dataset.card)"),
                         ["Keys tom", "Keys tom eq", "Keys"])
        # Only the mixer's own bus is shown.
        self.assertEqual(page.locator('#controls [data-card="Keys"] .strip').count(), 1)
        page.fill("#strip-search", "nobody")
        panel.waits_until("word of it", lambda: "No strip has “nobody”" in panel.text(".none"))
        self.ends_well(panel)

    def test_strips_out_of_sight_are_drawn_later_and_all_are_reached(self):
        """All strips at once would keep a browser from answering; in the end all are there, and none is left out."""
        panel = self.open(self.play(desk_patch(8, 4)))
        page = panel.page
        left_out = lambda: page.locator(".strip-view.far").count()
        in_sight = """[...document.querySelectorAll(".rack .strip-view.far")].filter(one => {
            const [rack, box] = [document.querySelector(".rack"), one].map(each => each.getBoundingClientRect());
            return box.right > rack.left && box.left < rack.right;
        }).length"""
        panel.waits_until("all strips", lambda: left_out() == 0)
        panel.show("timeline")
        page.wait_for_timeout(300)
        # In the task that shows the console again, before anything else has been done.
        seen = page.evaluate(f"""() => {{
            document.querySelector('#views [data-view="console"]').click();
            return [document.querySelectorAll(".strip-view.far").length, {in_sight}];
        }}""")
        self.assertGreater(seen[0], 20)
        self.assertEqual(seen[1], 0)
        panel.waits_until("all strips", lambda: left_out() == 0)
        # Who scrolls at once finds them drawn.
        panel.show("timeline")
        page.wait_for_timeout(300)
        found = page.evaluate(f"""async () => {{
            document.querySelector('#views [data-view="console"]').click();
            const rack = document.querySelector(".rack");
            await new Promise(requestAnimationFrame);
            rack.scrollLeft = rack.scrollWidth;
            await new Promise(resolve => rack.addEventListener("scroll", resolve, {{ once: true }}));
            return {in_sight};
        }}""")
        self.assertEqual(found, 0)
        panel.waits_until("all strips", lambda: left_out() == 0)
        # The strip that has the focus is not left out: it would lose it.
        page.locator(".rack").evaluate("rack => rack.scrollLeft = 0")
        last = page.locator(".rack .strip-name").last
        last.evaluate("name => name.focus({ preventScroll: true })")
        page.fill("#strip-search", "snare")
        panel.waits_until("the snares", lambda: page.locator(".strip-view:visible").count() == 9)
        page.fill("#strip-search", "")
        panel.waits_until("all strips", lambda: left_out() == 0 and page.locator(".strip-view[hidden]").count() == 0)
        # By keys from one to the next, as far as the row goes.
        page.locator(".rack .strip-name").first.focus()
        for _ in range(40):
            page.keyboard.press("ArrowRight")
        self.assertTrue(page.evaluate("document.activeElement.matches('.strip-name')"))
        panel.waits_until("it in sight", lambda: page.evaluate("""() => {
            const [rack, box] = [document.querySelector(".rack"), document.activeElement].map(each => each.getBoundingClientRect());
            return box.left >= rack.left - 1 && box.right <= rack.right + 1 && !document.activeElement.closest(".far");
        }"""))
        self.ends_well(panel)

    def test_mute_and_solo_are_values_of_the_document_and_are_put_back(self):
        run = self.play(desk_patch(3, 3))
        panel = self.open(run)
        page = panel.page
        enable = lambda node, bus: run.value(f"/nodes/{node}/inputs/{bus}/parameters/enable")
        press = lambda name, strip: page.locator(f'[data-strip="{strip}"] .{name}').click()
        wait_for("sound", lambda: run.level("Drums") > -60)
        press("mute", "Drums/input/0")
        wait_for("a mute", lambda: enable("Drums", 0) is False)
        press("mute", "Drums/input/0")
        wait_for("no mute", lambda: enable("Drums", 0) is True)
        press("mute", "Bass/input/0")
        wait_for("a mute", lambda: enable("Bass", 0) is False)
        press("solo", "Drums/input/1")
        wait_for("a solo", lambda: enable("Drums", 0) is False and enable("Drums", 2) is False)
        wait_for("the other groups", lambda: enable("Main", 1) is False and enable("Main", 2) is False)
        self.assertIsNone(enable("Drums", 1))
        self.assertIsNone(enable("Main", 0))
        run.waits_for_level(-120, node="Main", scope="input", element=1, within=40)
        self.assertIn("sets 'enable'", page.locator('[data-strip="Drums/input/1"] .solo').get_attribute("title"))
        self.assertIn("solo snare", page.locator("#undo").get_attribute("title").lower().replace("drums ", ""))
        # A reload restores the solo.
        panel.load()
        panel.waits_until("the solo", lambda: page.locator('.solo[aria-pressed="true"]').count() == 1)
        page.locator("#solo-clear").click()
        wait_for("what there was", lambda: enable("Drums", 0) is True and enable("Main", 1) is True)
        # A bus that was muted by hand stays muted.
        self.assertIs(enable("Bass", 0), False)
        # Undo turns the solo light off, and redo turns it on.
        lit = lambda: page.locator('.solo[aria-pressed="true"]').count()
        press("solo", "Drums/input/1")
        wait_for("a solo", lambda: enable("Drums", 0) is False)
        panel.waits_until("its light", lambda: lit() == 1)
        page.locator("#undo").click()
        wait_for("what there was", lambda: enable("Drums", 0) is True)
        panel.waits_until("no light", lambda: lit() == 0)
        page.locator("#redo").click()
        wait_for("the solo", lambda: enable("Drums", 0) is False)
        panel.waits_until("its light", lambda: lit() == 1)
        page.locator("#solo-clear").click()
        wait_for("what there was", lambda: enable("Drums", 0) is True)
        self.ends_well(panel)

    def test_a_meter_that_is_off_says_so_and_is_turned_on_where_it_is(self):
        run = self.play(desk_patch(3, 3))
        panel = self.open(run)
        page = panel.page
        metering = "/nodes/Drums/inputs/2/properties/meteringMode"
        peak = page.locator('[data-strip="Drums/input/2"] .strip-peak')
        self.assertEqual(peak.inner_text(), "off")
        self.assertEqual(page.locator('[data-strip="Drums/input/2"] [role=meter]').get_attribute("aria-valuetext"),
                         "not measured")
        peak.click()
        wait_for("the meter", lambda: run.value(metering) in (True, 1))
        panel.waits_until("a level", lambda: re.fullmatch("−[0-9.]+", peak.inner_text()))
        page.locator("#meters-on").click()
        panel.waits_until("all of them", lambda: not page.locator("#meters-on").is_visible())
        self.assertEqual(page.locator(".strip-peak", has_text="off").count(), 0)
        self.ends_well(panel)

    # The map

    def test_the_map_fits_zooms_and_moves_at_any_size(self):
        for groups, strips in ((1, 2), (12, 6)):
            with self.subTest(f"{groups * strips} strips"):
                panel = self.open(self.play_another(desk_patch(groups, strips)))
                page = panel.page
                panel.show("graph")
                view = page.locator("#graph-view").bounding_box()
                drawing = page.locator("#graph-view svg.drawing")
                def inside():
                    box = drawing.bounding_box()
                    return (box["x"] >= view["x"] - 1 and box["y"] >= view["y"] - 1
                            and box["x"] + box["width"] <= view["x"] + view["width"] + 1
                            and box["y"] + box["height"] <= view["y"] + view["height"] + 1)
                panel.waits_until("all of it", inside)
                small = drawing.bounding_box()["width"]
                page.mouse.move(view["x"] + 200, view["y"] + 200)
                page.mouse.wheel(0, -400)
                panel.waits_until("a larger one", lambda: drawing.bounding_box()["width"] > small * 1.5)
                before = drawing.bounding_box()
                # Anywhere except on a box.
                page.mouse.move(view["x"] + 8, view["y"] + 8)
                page.mouse.down()
                page.mouse.move(view["x"] + 68, view["y"] + 48, steps=6)
                page.mouse.up()
                panel.waits_until("another place", lambda: abs(drawing.bounding_box()["x"] - before["x"] - 60) < 2)
                page.locator("#graph-view").focus()
                page.keyboard.press("0")
                panel.waits_until("all of it again", inside)
                page.keyboard.press("+")
                panel.waits_until("a larger one", lambda: drawing.bounding_box()["width"] > small * 1.3)
                # Boxes do not overlap, and each connection ends at its ports.
                self.assertEqual(page.evaluate("""() => {
                  const boxes = [...document.querySelectorAll(".drawing g.box > rect:first-of-type")]
                    .map(box => box.getBoundingClientRect());
                  return boxes.filter((one, index) => boxes.some((other, place) => place > index
                    && one.left < other.right - 1 && other.left < one.right - 1
                    && one.top < other.bottom - 1 && other.top < one.bottom - 1)).length;
                }"""), 0)
                self.assertEqual(page.evaluate("""() => {
                  const middle = mark => { const box = mark.getBoundingClientRect();
                    return [(box.left + box.right) / 2, (box.top + box.bottom) / 2]; };
                  return [...document.querySelectorAll(".drawing .edge[data-to]")].filter(edge => {
                    const [, node, number] = edge.dataset.to.match(/^(.*)\\/input\\/(\\d+)$/);
                    const port = document.querySelector(
                      `.drawing circle[data-node="${node}"][data-scope="input"][data-element="${number}"]`);
                    const wire = edge.querySelector(".wire");
                    const end = wire.getPointAtLength(wire.getTotalLength()).matrixTransform(wire.getScreenCTM());
                    const [x, y] = middle(port);
                    return Math.hypot(end.x - x, end.y - y) > 8 * wire.getScreenCTM().a + 1;
                  }).map(edge => edge.dataset.to);
                }"""), [])
                self.ends_well(panel)

    def test_what_is_chosen_stands_out_with_its_neighbours_only(self):
        panel = self.open(self.play(desk_patch(3, 3)))
        page = panel.page
        panel.inspect("Bass")
        near = page.locator(".drawing .box.on-way").evaluate_all("all => all.map(one => one.dataset.node).sort()")
        self.assertEqual(near, ["Bass", "Bass hat eq", "Bass kick eq", "Bass snare eq", "Main"])
        page.locator("#graph-view").focus()
        page.keyboard.press("f")
        panel.waits_until("only these", lambda: page.locator(".drawing .box:visible").count() == 5)
        page.locator("#graph-only").click()
        panel.waits_until("all", lambda: page.locator(".drawing .box:visible").count() > 15)
        self.assertEqual(page.locator("#controls [data-card]").count(), 1)
        self.ends_well(panel)

    def test_nodes_are_added_connected_and_removed_on_the_map(self):
        run = self.play(mixer_patch(3))
        panel = self.open(run)
        page = panel.page
        connections = lambda: [(one["from"], one["to"]) for one in run.value("/connections")]
        before = run.ask("GET", "/patch")[2]
        panel.show("graph")
        page.locator("#graph-view").focus()
        page.keyboard.press("n")
        page.select_option("#add-kind", "Delay")
        page.fill("#add-name", "echo")
        page.select_option("#add-where", label="between eq and mixer:1")
        page.locator("#graph-done").click()
        wait_for("the echo", lambda: ("eq", "echo") in connections() and ("echo", "mixer:1") in connections())
        panel.waits_until("its box", lambda: page.locator('#graph-view g[data-node="echo"]').count() == 1)
        panel.inspect("echo")
        page.locator("#graph-view").focus()
        page.keyboard.press("Delete")
        wait_for("no echo", lambda: ("eq", "mixer:1") in connections() and run.value("/nodes/echo") is None)
        page.keyboard.press("Control+z")
        wait_for("the echo again", lambda: run.value("/nodes/echo"))
        page.keyboard.press("Control+z")
        wait_for("nothing of it", lambda: json.loads(run.ask("GET", "/patch")[2]) == json.loads(before))
        # Connecting a callback to a mixer without a free input adds an input.
        page.locator("#graph-add").click()
        page.select_option("#add-kind", "a tone")
        page.select_option("#add-where", label="into mixer:3")
        page.locator("#graph-done").click()
        wait_for("the tone", lambda: ("tone 2", "mixer:3") in connections() and run.value("/nodes/mixer/inputCount") == 4)
        # An invalid change is refused with a message.
        page.locator("#graph-connect").click()
        page.select_option("#connect-from", "mixer/output/0")
        page.select_option("#connect-to", "eq/input/0")
        page.locator("#graph-done").click()
        panel.waits_until("word of it", lambda: "error[PR" in panel.text("#graph-dialog .refused"))
        self.assertEqual(violations(page), [])
        page.keyboard.press("Escape")
        self.assertNotIn(("mixer", "eq"), connections())
        self.assertTrue(all("422" in problem for problem in panel.problems), panel.problems)

    def test_a_connection_is_drawn_from_port_to_port(self):
        run = self.play(mixer_patch(3))
        panel = self.open(run)
        page = panel.page
        panel.show("graph")
        # Without its connection, the equalizer's output is free.
        page.locator('#graph-view .edge[data-from="eq/output/0"]').dispatch_event("click")
        panel.waits_until("it can be removed", lambda: page.locator("#graph-remove").is_enabled())
        page.locator("#graph-remove").click()
        wait_for("no connection", lambda: not any(one["from"] == "eq" for one in run.value("/connections")))
        panel.waits_until("no line", lambda: not page.locator('#graph-view .edge[data-from="eq/output/0"]').count())
        page.wait_for_timeout(400)
        place = lambda scope, node, bus=0: page.locator(
            f'#graph-view circle[data-node="{node}"][data-scope="{scope}"][data-element="{bus}"]').bounding_box()
        middle = lambda box: (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(*middle(place("output", "eq")))
        page.mouse.down()
        box = page.locator('#graph-view g[data-node="mixer"] rect').first.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 12, steps=5)
        self.assertEqual(page.locator(".drawn-line").count(), 1)
        page.mouse.up()
        wait_for("the connection", lambda: {"from": "eq", "to": "mixer:1"} in run.value("/connections"))
        self.ends_well(panel)

    def test_what_can_be_added_is_what_the_program_has(self):
        printed = {one.split()[0] for one in subprocess.run(
            [str(PROGRAM), "units"], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
            if one and not one.startswith((" ", "`"))}
        panel = self.open(self.play(mixer_patch(2)))
        panel.show("graph")
        panel.page.locator("#graph-add").click()
        offered = panel.page.locator('#add-kind optgroup[label="Units"] option')
        offered.first.wait_for(state="attached")
        units = offered.all_inner_texts()
        self.assertEqual(len(units), len(set(units)))
        self.assertEqual(printed - set(units), {"GenericOutput", "remoteIO", "voiceProcessingIO"})
        self.assertEqual(set(units) - printed, set())
        panel.page.keyboard.press("Escape")
        self.ends_well(panel)

    # The timeline

    def test_the_timeline_shows_what_comes_and_where_it_is(self):
        patch = desk_patch(3, 3)
        patch["timeline"][0]["at"] = 2
        run = self.play(patch)
        panel = self.open(run)
        page = panel.page
        panel.show("timeline")
        panel.waits_until("lanes", lambda: page.locator(".lane .glide").count() == 4)
        self.assertEqual(page.locator(".lane").count(), 5)
        self.assertEqual(page.locator(".steps li").count(), 5)
        self.assertIn("Volume, Main output 0 to −14.0 dB in 8 s", panel.text(".steps"))
        panel.waits_until("a ramp that goes", lambda: "Now: Volume, Drums input 0" in panel.text("#timeline-next"))
        self.assertIn("Next: Pan, Drums input 0", panel.text("#timeline-next"))
        place = lambda: page.locator(".playhead").bounding_box()["x"]
        before = place()
        panel.waits_until("it goes on", lambda: place() > before + 2)
        # The value is that of the drawn line.
        panel.waits_until("the value follows", lambda: float(
            page.locator(".lane-value").first.inner_text().split()[0].replace("−", "-")) > -10)
        self.ends_well(panel)

    def test_an_event_says_what_the_timeline_has_moved(self):
        volume = "/nodes/mixer/outputs/0/parameters/volume"
        # One after the other: however late the page is there, some are to come.
        steps = [{"at": at, "ramp": {"path": volume, "to": 0.5 if at % 4 else 0.8, "duration": 0.5}} for at in range(2, 120, 2)]
        panel = self.open(self.play(mixer_patch(2, timeline=steps)))
        panel.waits_until("the event", lambda: "Volume, mixer output 0 has been moved"
                          in panel.page.locator("#event-list").text_content())
        self.assertIn("By the timeline:", panel.page.locator("#event-list").text_content())
        self.ends_well(panel)

    def test_a_callback_is_triggered_where_it_has_a_beginning(self):
        patch = mixer_patch(2)
        patch["callbacks"]["hum"] = {"kind": "impulse"}
        run = self.play(patch)
        panel = self.open(run)
        panel.inspect("hum")
        asked = []
        panel.page.on("response", lambda response: asked.append((response.url.split("/")[-1], response.status)))
        panel.page.locator('[data-trigger="hum"]').click()
        panel.waits_until("an answer", lambda: ("trigger?callback=hum", 200) in asked)
        panel.inspect("tone")
        self.assertEqual(panel.page.locator('[data-trigger="tone"]').count(), 0)
        self.ends_well(panel)

    def test_undo_says_what_it_undoes_and_survives_a_reload(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        panel.slider(INPUT_VOLUME).press("PageDown")
        wait_for("the change", lambda: run.value(INPUT_VOLUME) < 0.3)
        label = "Undo: Volume, mixer input 0 (tone) to −12.0 dB"
        panel.waits_until("a label", lambda: page.locator("#undo").get_attribute("title") == label)
        page.wait_for_timeout(400)
        panel.load()
        panel.waits_until("the label", lambda: page.locator("#undo").get_attribute("title") == label)
        panel.beside("events")
        self.assertIn("Volume, mixer input 0 (tone) to −12.0 dB", panel.text("#change-list"))
        page.locator("#undo").click()
        wait_for("the volume", lambda: run.value(INPUT_VOLUME) == 0.5)
        # The log names the origin of a change.
        panel.waits_until("an event", lambda: "Here:" in panel.text("#event-list"))
        run.put(INPUT_VOLUME, 0.25)
        panel.waits_until("another's", lambda: "By another browser or program:" in panel.text("#event-list"))
        self.ends_well(panel)

    def test_a_take_is_recorded_stopped_and_kept(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        wait_for("the tone", lambda: run.level() > -60)
        panel.waits_until("the button", lambda: page.locator("#record").is_enabled())
        page.locator("#record").click()
        path = wait_for("a take", lambda: (run.value("/taps/take") or {}).get("path"))
        panel.beside("taps")
        panel.waits_until("a second of it", lambda: "0:01" in panel.text(".take"))
        ink = lambda: page.locator(".take canvas").first.evaluate(
            "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data"
            ".filter((value, index) => index % 4 === 1 && value > 150).length")
        panel.waits_until("a wave", ink)
        page.locator("#record").click()
        wait_for("the end", lambda: run.value("/taps/take") is None)
        file = self.pulse.folder / path
        wait_for("the file", file.exists)
        self.assertGreater(file.stat().st_size, 48000 * 2 * 2 * 0.5)
        panel.waits_until("its picture", lambda: "recorded" in panel.text(".take"))
        self.assertIn("programme", run.value("/taps"))
        panel.load()
        panel.beside("taps")
        self.assertIn(path, panel.text(".take"))
        # The whole file is fetched, and nothing else.
        panel.waits_until("the file", lambda: page.locator(".take a.download").is_visible())
        self.assertEqual(violations(page), [])
        with page.expect_download() as download:
            page.locator(".take a.download").click()
        self.assertEqual(download.value.suggested_filename, path)
        self.assertEqual(pathlib.Path(download.value.path()).read_bytes(), file.read_bytes())
        status, headers, _ = run.ask("GET", "/takes?number=1", Range="bytes=0-3")
        self.assertEqual((status, headers["Content-Range"]), (206, f"bytes 0-3/{file.stat().st_size}"))
        kept = file.read_bytes()
        file.unlink()
        file.write_bytes(kept)
        self.assertEqual(run.ask("GET", "/takes?number=1")[0], 410, "another file of that name")
        file.unlink()
        file.symlink_to(run.file)
        self.assertEqual(run.ask("GET", "/takes?number=1")[0], 410, "what a link leads to")
        self.ends_well(panel)

    def test_saving_waits_for_the_end_of_a_take(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        panel.slider(INPUT_VOLUME).press("PageDown")
        panel.waits_until("the button", lambda: page.locator("#record").is_enabled())
        page.locator("#record").click()
        wait_for("a take", lambda: run.value("/taps/take"))
        panel.waits_until("that it can be saved", lambda: page.locator("#save").is_enabled())
        page.locator("#save").click()
        panel.waits_until("word of it", lambda: "take has ended" in panel.text("#messages"))
        page.locator("#record").click()
        saved = wait_for("the file", lambda: (lambda patch: patch if patch["nodes"]["mixer"]["inputs"]["0"][
            "parameters"]["volume"] < 0.3 else None)(json.loads(run.file.read_text())))
        self.assertEqual(set(saved["taps"]), set(mixer_patch()["taps"]))
        self.ends_well(panel)

    def test_the_map_shows_what_each_part_takes(self):
        run = self.play(desk_patch(2, 3))
        panel = self.open(run)
        page = panel.page
        panel.show("graph")
        page.locator("#graph-view").focus()
        page.keyboard.press("h")
        shares = lambda: page.locator(".drawing .share").all_text_contents()
        panel.waits_until("shares", lambda: len(shares()) > 8)
        numbers = [float(one.split()[0]) for one in shares()]
        self.assertLess(sum(numbers), 102)
        self.assertGreater(sum(numbers), 40)
        self.assertIn("of a core", panel.text("#graph-legend"))
        box = page.locator('g[data-node="Drums kick eq"]')
        self.assertRegex(box.get_attribute("aria-label"), r", [\d.]+ % of the rendering$")
        self.assertRegex(box.get_attribute("class"), r"\bheat[0-4]\b")
        answer = run.read("/shares")
        self.assertAlmostEqual(sum(one["share"] for one in answer["shares"]), 1, delta=0.001)
        self.assertEqual(violations(page), [])
        page.locator("#graph-heat").click()
        self.assertEqual(len(shares()), 0)
        self.assertNotIn("rendering", box.get_attribute("aria-label"))
        self.ends_well(panel)

    def test_of_two_who_change_the_graph_the_second_is_told(self):
        run = self.play(mixer_patch(3))
        panel = self.open(run)
        page = panel.page
        panel.show("graph")
        # Without events, it does not see changes of others.
        page.route("**/events*", lambda route: route.abort())
        panel.load()
        panel.show("graph")
        connections = run.value("/connections")
        page.route("**/status", lambda route: route.abort())
        run.ask("PATCH", "/patch", json.dumps([{"op": "remove", "path": "/connections/0"},
                                               {"op": "add", "path": "/connections/-", "value": connections[0]}]),
                type="application/json-patch+json")
        page.locator("#graph-add").click()
        page.select_option("#add-kind", "Delay")
        page.fill("#add-name", "echo")
        page.select_option("#add-where", label="between eq and mixer:1")
        page.locator("#graph-done").click()
        panel.waits_until("word of it", lambda: "somebody else" in panel.text("body"))
        self.assertIsNone(run.value("/nodes/echo"))
        self.assertEqual(run.value("/connections"), connections[1:] + connections[:1])
        page.keyboard.press("Escape")
        # A change of a value by another client is not a conflict with an added node.
        run.put("/nodes/mixer/inputs/0/parameters/volume", 0.4)
        page.locator("#graph-add").click()
        page.select_option("#add-kind", "Delay")
        page.fill("#add-name", "echo")
        page.select_option("#add-where", label="between eq and mixer:1")
        page.locator("#graph-done").click()
        wait_for("the echo", lambda: run.value("/nodes/echo"))
        self.assertEqual(run.value("/nodes/mixer/inputs/0/parameters/volume"), 0.4)

    def test_what_many_controls_have_in_common_comes_once(self):
        run = self.play({**mixer_patch(), "nodes": {
            **mixer_patch()["nodes"], **{f"eq {number}": {"component": "NBandEQ"} for number in range(12)}}})
        long, short, values = (len(run.ask("GET", f"/controls{form}")[2]) for form in ("", "?form=kinds", "?form=values"))
        print(f"\npanel: controls of 12 NBandEQ: {long / 1000:.0f} kB, {short / 1000:.0f} kB by kinds, "
              f"{values / 1000:.1f} kB of values")
        self.assertLess(short, long / 4)
        self.assertLess(values, 4000)
        panel = self.open(run)
        asked = []
        panel.page.on("request", lambda request: asked.append(request.url))
        run.put(INPUT_VOLUME, 0.25)
        panel.waits_until("the value", lambda: panel.spoken(INPUT_VOLUME) == "−12.0 decibels")
        panel.page.wait_for_timeout(1200)
        self.assertFalse([one for one in asked if "form=kinds" in one])
        self.ends_well(panel)

    # Changes of values

    def test_a_fader_is_moved_by_keys_and_the_sound_changes(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        before = run.steady_level()
        fader = panel.slider(VOLUME)
        fader.focus()
        for _ in range(3):
            fader.press("PageDown")
        run.waits_for_level(before - 18, within=1)
        self.assertEqual(panel.spoken(VOLUME), "−18.0 decibels")
        self.assertAlmostEqual(decibels(run.value(VOLUME)), -18, places=1)
        fader.press("ArrowUp")
        wait_for("a decibel more", lambda: abs(decibels(run.value(VOLUME)) + 17) < 0.05)
        fader.press("Shift+ArrowDown")
        wait_for("a tenth less", lambda: abs(decibels(run.value(VOLUME)) + 17.1) < 0.05)
        fader.press("Home")
        run.waits_for_level(-120, within=40)
        self.assertEqual(run.value(VOLUME), 0)
        self.assertEqual(panel.spoken(VOLUME), "minus infinity decibels, silent")
        fader.press("Delete")
        run.waits_for_level(before, within=1)
        self.assertEqual(run.value(VOLUME), 1)
        # A digit begins the input of a value.
        panel.page.keyboard.type("-6.5")
        panel.page.keyboard.press("Enter")
        wait_for("what was typed", lambda: abs(decibels(run.value(VOLUME)) + 6.5) < 0.01)
        run.waits_for_level(before - 6.5, within=1)
        self.assertEqual(panel.page.evaluate("document.activeElement.dataset.slider"), VOLUME)
        self.ends_well(panel)

    def test_a_fader_is_dragged_and_turned_by_the_wheel(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        before = run.steady_level()
        fader = panel.slider(VOLUME)
        fader.scroll_into_view_if_needed()
        page.wait_for_timeout(600)
        box = fader.bounding_box()
        x, y, length = box["x"] + box["width"] / 2, box["y"] + 4, box["height"]
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + 80, steps=40)
        page.mouse.up()
        # The exponent of the fader's scale is 1.8.
        expected = -60 + 60 * (1 - 80 / length) ** (1 / 1.8)
        wait_for("the last value", lambda: abs(decibels(run.value(VOLUME) or 1) - expected) < 0.3)
        run.waits_for_level(before + expected, within=1.2)
        page.keyboard.down("Shift")
        page.mouse.down()
        page.mouse.move(x, y + 100, steps=5)
        page.mouse.up()
        page.keyboard.up("Shift")
        finer = -60 + 60 * (1 - 82 / length) ** (1 / 1.8)
        wait_for("a tenth of the way", lambda: abs(decibels(run.value(VOLUME)) - finer) < 0.6)
        # The last value of a drag is sent with a delay.
        page.wait_for_timeout(500)
        here = decibels(run.value(VOLUME))
        page.mouse.wheel(0, 100)
        wait_for("a turn of the wheel", lambda: abs(decibels(run.value(VOLUME)) - here + 1) < 0.1)
        fader.dblclick()
        wait_for("the default", lambda: run.value(VOLUME) == 1)
        run.waits_for_level(before, within=1)
        self.ends_well(panel)

    def test_a_finger_drags_a_fader_and_not_the_page(self):
        run = self.play(mixer_patch())
        panel = self.open(run, is_phone=True)
        page = panel.page
        fader = panel.slider(INPUT_VOLUME)
        box, scrolled = fader.bounding_box(), page.evaluate("scrollY")
        finger = panel.context.new_cdp_session(page)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        touch = lambda kind, points: finger.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": points})
        touch("touchStart", [{"x": x, "y": y}])
        for step in range(1, 9):
            touch("touchMove", [{"x": x, "y": y + step * 15}])
        touch("touchEnd", [])
        wait_for("a lower volume", lambda: run.value(INPUT_VOLUME) < 0.15)
        self.assertEqual(page.evaluate("scrollY"), scrolled)
        self.ends_well(panel)

    def test_switches_lists_and_dials(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        enable = "/nodes/mixer/inputs/0/parameters/enable"
        panel.slider(enable).press("Space")
        wait_for("the switch", lambda: run.value(enable) in (False, 0))
        preset = "/nodes/eq/properties/presentPreset"
        curve = panel.page.locator("#controls svg.response .curve")
        panel.waits_until("a curve", lambda: curve.get_attribute("d"))
        flat = curve.get_attribute("d")
        panel.slider(preset).select_option(label="Bass Booster")
        wait_for("the preset", lambda: "Bass Booster" in json.dumps(run.value(preset)))
        panel.waits_until("another curve", lambda: curve.get_attribute("d") != flat)
        panel.slider(PAN).press("ArrowLeft")
        wait_for("the pan", lambda: run.value(PAN) == -0.05)
        self.assertEqual(panel.spoken(PAN), "0.05 left")
        panel.slider(PAN).press("Enter")
        panel.page.keyboard.type("0.4 R")
        panel.page.keyboard.press("Enter")
        wait_for("the pan", lambda: run.value(PAN) == 0.4)
        self.ends_well(panel)

    def test_what_is_refused_goes_back(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        panel.slider(PAN).press("Enter")
        panel.page.keyboard.type("7")
        panel.page.keyboard.press("Enter")
        panel.waits_until("a message", lambda: "'pan' is a number from -1 to 1, not 7" in panel.text("#messages"))
        self.assertEqual(panel.spoken(PAN), "centre")
        self.assertIsNone(run.value(PAN))
        self.assertTrue(panel.page.locator("#undo").is_disabled())
        # The browser logs the refused request.
        self.assertTrue(all("422" in problem for problem in panel.problems), panel.problems)

    def test_a_source_is_moved_around_the_head(self):
        run = self.play(space_patch())
        panel = self.open(run)
        page = panel.page
        place = lambda part, bus=0: run.value(f"/nodes/space/inputs/{bus}/parameters/{part}")
        source = page.locator('[data-source="0"]')
        self.assertIn("60 degrees left", source.get_attribute("aria-valuetext"))
        source.press("ArrowRight")
        wait_for("the azimuth", lambda: place("azimuth") == -55)
        source.press("ArrowUp")
        wait_for("the distance", lambda: place("distance") > 2)
        source.press("PageUp")
        wait_for("the elevation", lambda: place("elevation") == 5)
        self.assertIn("5 degrees up", source.get_attribute("aria-valuetext"))
        source.scroll_into_view_if_needed()
        page.wait_for_timeout(600)
        field = page.locator(".pad-field").bounding_box()
        dot = source.locator(".dot").bounding_box()
        page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
        page.mouse.down()
        page.mouse.move(field["x"] + field["width"] * 0.5, field["y"] + field["height"] * 0.9, steps=12)
        page.mouse.up()
        wait_for("a place behind", lambda: abs(abs(place("azimuth")) - 180) < 4)
        # The dial of the strip follows.
        azimuth = "/nodes/space/inputs/0/parameters/azimuth"
        self.assertLess(abs(abs(float(panel.slider(azimuth).get_attribute("aria-valuenow"))) - 180), 4)
        source.dblclick()
        wait_for("the middle", lambda: place("azimuth") == 0 and place("distance") == 0)
        page.locator("#undo").click()
        wait_for("where it was", lambda: abs(abs(place("azimuth")) - 180) < 4)
        self.ends_well(panel)

    # Undo

    def test_changes_are_undone_and_redone(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        before = run.ask("GET", "/patch")[2]
        fader = panel.slider(INPUT_VOLUME)
        fader.press("PageDown")
        wait_for("the change", lambda: run.value(INPUT_VOLUME) < 0.3)
        # A value that was not in the document is removed again.
        panel.slider(PAN).press("ArrowRight")
        wait_for("the pan", lambda: run.value(PAN) == 0.05)
        panel.waits_until("an end of the gesture", lambda: page.locator("#undo").is_enabled())
        page.keyboard.press("Control+z")
        wait_for("no pan", lambda: run.value(PAN) is None)
        page.keyboard.press("Control+z")
        wait_for("the volume", lambda: run.value(INPUT_VOLUME) == 0.5)
        self.assertEqual(json.loads(run.ask("GET", "/patch")[2]), json.loads(before))
        page.keyboard.press("Control+Shift+z")
        wait_for("the volume again", lambda: run.value(INPUT_VOLUME) < 0.3)
        page.locator("#redo").click()
        wait_for("the pan again", lambda: run.value(PAN) == 0.05)
        self.assertTrue(page.locator("#redo").is_disabled())
        self.ends_well(panel)

    # Synchronization of pages

    def test_two_browsers_stay_in_step(self):
        run = self.play(mixer_patch())
        one, other = self.open(run), self.open(run, color_scheme="dark")
        one.slider(INPUT_VOLUME).press("PageDown")
        other.waits_until("the same", lambda: other.spoken(INPUT_VOLUME) == "−12.0 decibels")
        other.slider(INPUT_VOLUME).press("PageDown")
        one.waits_until("the same", lambda: one.spoken(INPUT_VOLUME) == "−18.0 decibels")
        # Changes of other clients are shown too.
        run.put(INPUT_VOLUME, 1)
        for page in (one, other):
            page.waits_until("the same", lambda: page.spoken(INPUT_VOLUME) == "0.0 decibels")
            page.edit()
            page.waits_until("the document", lambda: '"volume": 1' in page.document())
        self.ends_well(one, other)

    def test_a_reload_changes_nothing(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        panel.slider(INPUT_VOLUME).press("PageDown")
        wait_for("the change", lambda: run.value(INPUT_VOLUME) < 0.3)
        tag = run.read("/status")["tag"]
        panel.load()
        self.assertEqual(panel.spoken(INPUT_VOLUME), "−12.0 decibels")
        self.assertEqual(run.read("/status")["tag"], tag)
        self.ends_well(panel)

    def test_the_patch_is_reloaded_and_begins_again(self):
        patch = mixer_patch()
        run = self.play(patch, "--watch")
        panel = self.open(run)
        patch["nodes"]["mixer"]["inputs"]["0"]["parameters"]["volume"] = 1
        patch["nodes"]["second"] = {**patch["nodes"]["eq"], "inputs": {}}
        patch["connections"] = [{"from": "hum", "to": "eq"}, {"from": "eq", "to": "second"},
                                {"from": "second", "to": "mixer:1"}, *patch["connections"][2:]]
        run.file.write_text(json.dumps(patch))
        panel.waits_until("the file's volume", lambda: panel.spoken(INPUT_VOLUME) == "0.0 decibels")
        panel.waits_until("the second equalizer in the graph", lambda: panel.page.locator(
            '#graph-view g[data-node="second"]').count() == 1)
        panel.waits_until("its controls", lambda: panel.page.locator('[data-card="second"]').count() == 1)
        self.ends_well(panel)
        run.close()
        panel.waits_until("the end", lambda: panel.page.locator("#connection").is_visible())
        again = Run(self.pulse, run.file, port=run.port)
        self.addCleanup(again.close)
        panel.waits_until("the next run", lambda: not panel.page.locator("#connection").is_visible())
        panel.slider(INPUT_VOLUME).press("PageDown")
        wait_for("a change of the next run", lambda: again.value(INPUT_VOLUME) < 0.6)

    # The document

    def test_the_editor_completes_explains_finds_and_folds(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        panel.edit()
        # The completions are those of the language server, in its order.
        panel.place('"pan')
        panel.place('"volume": 0.5')
        page.keyboard.type(",")
        page.keyboard.press("Enter")
        page.keyboard.type('"pa')
        panel.waits_until("proposals", lambda: page.locator(".cm-tooltip-autocomplete li").count())
        self.assertIn("pan", page.locator(".cm-tooltip-autocomplete").inner_text())
        page.wait_for_timeout(150)
        page.keyboard.press("Enter")
        panel.waits_until("the key", lambda: re.search(r'"volume": 0.5,\s+"pan"', panel.document()))
        self.assertNotIn('"pan""', panel.document())
        page.locator("#revert").click()
        # The places of a snippet are filled in one after another.
        panel.place('"nodes": {')
        page.keyboard.press("Enter")
        page.keyboard.press("Control+Space")
        panel.waits_until("proposals", lambda: page.locator(".cm-tooltip-autocomplete li").count())
        page.keyboard.type("Delay")
        panel.waits_until("the unit", lambda: page.locator('.cm-tooltip-autocomplete li[aria-selected="true"]')
                          .inner_text().startswith("Delay"))
        page.wait_for_timeout(150)
        page.keyboard.press("Enter")
        panel.waits_until("the node", lambda: '"component": "Delay"' in panel.document())
        page.keyboard.type("echo")
        self.assertIn('"echo": { "component": "Delay" }', panel.document())
        page.locator("#revert").click()
        # A hover explains the text under the pointer.
        page.locator("#text").get_by_text('"iPodEQ"').first.hover()
        panel.waits_until("a word on it", lambda: "equalizes" in page.locator(".hover").inner_text().lower()
                          if page.locator(".hover").count() else False)
        self.assertEqual(violations(page), [])
        page.mouse.move(0, 0)
        # Search and folding.
        page.locator("#find").click()
        page.keyboard.type("maximumFrames")
        page.keyboard.press("Enter")
        self.assertEqual(panel.selected(), "maximumFrames")
        self.assertEqual(violations(page), [])
        page.keyboard.press("Escape")
        panel.place('"eq": {')
        folds = lambda: page.locator(".cm-foldPlaceholder").count()
        panel.waits_until("what can be folded", lambda: page.locator(".cm-foldGutter span[title]").count() > 3)
        page.keyboard.press("Control+Shift+BracketLeft")
        panel.waits_until("a fold", lambda: folds() == 1)
        page.keyboard.press("Control+Shift+BracketRight")
        panel.waits_until("no fold", lambda: folds() == 0)
        # A long line is wrapped.
        page.locator("#wrap").click()
        self.assertTrue(page.locator(".cm-lineWrapping").count())
        self.ends_well(panel)

    def test_a_finding_is_marked_and_mended_by_keys(self):
        panel = self.open(self.play(mixer_patch()))
        page = panel.page
        panel.edit()
        panel.write(panel.document().replace('"volume": 0.5', '"volum": 0.5', 1))
        panel.waits_until("an underline", lambda: page.locator(".cm-lintRange-error").count())
        self.assertEqual(page.locator(".cm-lint-marker-error").count(), 1)
        page.locator("#text").focus()
        page.keyboard.press("F8")
        panel.waits_until("its place", lambda: panel.selected() == '"volum"')
        page.locator(".cm-lintRange-error").first.hover()
        panel.waits_until("the finding", lambda: page.locator(".cm-diagnostic").count())
        self.assertIn("PR0551", page.locator(".cm-diagnostic").first.inner_text())
        self.assertEqual(violations(page), [])
        page.locator(".cm-diagnosticAction").first.click()
        panel.waits_until("the fix", lambda: '"volum"' not in panel.document())
        panel.waits_until("no mark", lambda: page.locator(".cm-lintRange-error").count() == 0)
        # It can be undone like any other step.
        page.keyboard.press("Control+z")
        self.assertIn('"volum"', panel.document())
        self.ends_well(panel)

    def test_line_ends_and_comments_stay_as_they_are(self):
        file = self.pulse.folder / "returns.jsonc"
        text = "// A comment\r\n" + json.dumps(mixer_patch(), indent=2).replace("\n", "\r\n") + "\r\n"
        file.write_bytes(text.encode())
        run = Run(self.pulse, file)
        self.addCleanup(run.close)
        panel = self.open(run)
        panel.edit()
        self.assertTrue(panel.page.locator("#apply").is_disabled(), "nothing has been typed")
        panel.place("Steady")
        panel.page.keyboard.type("-ish")
        panel.waits_until("that it is right", lambda: panel.page.locator("#apply").is_enabled())
        panel.page.keyboard.press("Control+Enter")
        wait_for("the title", lambda: run.value("/title") == "Steady-ish tones")
        self.assertEqual(run.ask("GET", "/patch")[2], text.replace("Steady", "Steady-ish"))
        self.ends_well(panel)

    def test_a_wrong_document_is_refused_with_its_place(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        panel.edit()
        wrong = panel.document().replace('"volume": 0.5', '"volum": 0.5', 1)
        line = wrong[:wrong.index('"volum"')].count("\n") + 1
        panel.write(wrong)
        panel.waits_until("a diagnostic", lambda: page.locator("#diagnostics li").count() == 1)
        self.assertIn("PR0551", panel.text("#diagnostics"))
        self.assertTrue(panel.text("#diagnostics .where").startswith(f"{line}:"))
        self.assertTrue(page.locator("#apply").is_disabled())
        page.locator("#diagnosis summary").click()
        self.assertIn("^^^^^^^", panel.text("#diagnosis-text"))
        page.locator("#diagnostics .place").click()
        panel.waits_until("the place", lambda: panel.selected() == '"volum"')
        page.locator("#diagnostics .fix").click()
        panel.waits_until("nothing wrong", lambda: page.locator("#diagnostics li").count() == 0)
        self.assertIn('"volume": 0.5', panel.document())
        self.ends_well(panel)

    def test_diagnostics_that_come_often_are_folded(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        panel.edit()
        inputs = ", ".join(f'"{bus}": {{ "parameters": {{ "volum": 0.5 }} }}' for bus in range(5))
        panel.write('{ "nodes": { "mixer": { "component": "MultichannelMixer", "inputCount": 5, "inputs": { '
                    + inputs + ' } } } }')
        panel.waits_until("the diagnostics", lambda: "4 more of error PR0551" in panel.text("#diagnostics"))
        self.assertFalse(page.locator("#diagnostics .alike li").first.is_visible())
        page.locator("#diagnostics .alike summary").click()
        self.assertEqual(page.locator("#diagnostics .alike li").count(), 4)
        self.assertTrue(page.locator("#diagnostics .alike li").last.is_visible())
        self.ends_well(panel)

    def test_the_document_is_applied_undone_and_saved(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        panel.edit()
        panel.write(panel.document().replace("Steady tones", "Steadier tones"))
        panel.waits_until("that it is right", lambda: page.locator("#apply").is_enabled())
        page.keyboard.press("Control+Enter")
        panel.waits_until("the title", lambda: panel.text("#title") == "Steadier tones")
        self.assertEqual(run.value("/title"), "Steadier tones")
        self.assertNotIn("Steadier", run.file.read_text())
        panel.waits_until("that it can be saved", lambda: page.locator("#save").is_enabled())
        page.locator("#save").click()
        wait_for("the file", lambda: "Steadier" in run.file.read_text())
        panel.waits_until("that it is saved", lambda: page.locator("#save").is_disabled())
        self.assertTrue(run.read("/status")["saved"])
        page.locator("#undo").click()
        wait_for("the old title", lambda: run.value("/title") == "Steady tones")
        panel.waits_until("the old text", lambda: "Steady tones" in panel.document())
        # Tab indents; after Escape it moves the focus.
        page.focus("#text")
        page.keyboard.press("Control+Home")
        page.keyboard.press("Tab")
        self.assertTrue(panel.document().startswith("  {"))
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        self.assertNotEqual(page.evaluate("document.activeElement.id"), "text")
        page.locator("#revert").click()
        self.assertTrue(panel.document().startswith("{"))
        self.ends_well(panel)

    def test_of_two_who_edit_nobody_loses_what_was_typed(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        panel.edit()
        panel.write(panel.document().replace("Steady tones", "Mine"))
        panel.waits_until("that it is right", lambda: page.locator("#apply").is_enabled())
        run.put("/title", "Theirs")
        panel.waits_until("word of it", lambda: page.locator("#conflict").is_visible())
        page.locator("#take-mine").click()
        self.assertIn("Mine", panel.document())
        page.locator("#apply").click()
        wait_for("mine", lambda: run.value("/title") == "Mine")
        panel.write(panel.document().replace("Mine", "Mine again"))
        run.put("/title", "Theirs again")
        panel.waits_until("word of it", lambda: page.locator("#conflict").is_visible())
        page.locator("#take-theirs").click()
        self.assertIn("Theirs again", panel.document())
        # A page that missed a change gets status 412 from the server.
        page.route("**/events*", lambda route: route.abort())
        panel.load()
        panel.edit()
        panel.write(panel.document().replace("Theirs again", "Late"))
        panel.waits_until("that it is right", lambda: page.locator("#apply").is_enabled())
        run.put("/title", "Early")
        page.locator("#apply").click()
        panel.waits_until("word of it", lambda: page.locator("#conflict").is_visible())
        self.assertEqual(run.value("/title"), "Early")

    # The run

    def test_it_pauses_goes_on_and_stops_when_asked_twice(self):
        run = self.play(mixer_patch())
        panel = self.open(run)
        page = panel.page
        wait_for("the tone", lambda: run.level() > -60)
        page.locator("#pause").click()
        wait_for("the pause", lambda: run.read("/status")["state"] == "paused")
        panel.waits_until("the word", lambda: "Paused" in panel.text("#clock"))
        page.locator("#pause").click()
        wait_for("the sound", lambda: run.read("/status")["state"] == "playing")
        page.locator("#stop").click()
        page.keyboard.press("Escape")
        self.assertEqual(run.read("/status")["state"], "playing")
        page.locator("#stop").click()
        page.locator("#stop-yes").click()
        self.assertEqual(run.process.wait(20), 0)
        panel.waits_until("the end", lambda: "ended" in panel.text("#connection"))
        self.assertEqual(violations(page), [])

    # Meters

    def test_64_meters_move_twenty_times_a_second(self):
        run = self.play(mixer_patch(64))
        panel = self.open(run)
        page = panel.page
        panel.waits_until("64 strips", lambda: page.locator(".strip-view.input [role=meter]").count() == 64)
        # All meters are in view.
        page.set_viewport_size({"width": 5600, "height": 900})
        figures = lambda: page.evaluate("({ ...panelFigures, time: performance.now() })")

        def views():
            """How many views a frame draws."""
            before = figures()
            page.wait_for_timeout(500)
            after = figures()
            return (after["drawn"] - before["drawn"]) / max(1, after["painted"] - before["painted"])

        panel.waits_until("64 meters that move", lambda: views() >= 64)
        before = figures()
        page.wait_for_timeout(4000)
        after = figures()
        took = (after["time"] - before["time"]) / 1000
        received, painted, drawn = (after[name] - before[name] for name in ("received", "painted", "drawn"))
        print(f"\npanel: 64 meters: {received / took:.1f} readings a second, "
              f"{painted / took:.1f} of them painted, {drawn / max(1, painted):.0f} views each")
        # The speed depends on the machine; the page must keep up with the messages.
        self.assertGreater(received, 0)
        self.assertGreater(painted, received / 3)
        self.assertGreater(drawn, painted * 60)
        # A meter is not a live region: a screen reader reads its level only on request.
        self.assertEqual(page.locator("[aria-live] [role=meter]").count(), 0)
        meter = page.locator(".strip-view.input [role=meter]").first
        panel.waits_until("a level in words", lambda: "peak" in meter.get_attribute("aria-valuetext"))
        self.ends_well(panel)

    def test_who_wants_less_to_move_gets_slow_meters(self):
        asked = []
        run = self.play(mixer_patch())
        panel = self.open(run, reduced_motion="reduce")
        panel.page.on("request", lambda request: asked.append(request.url))
        panel.load()
        self.assertIn(f"{run.address}events?meters=4&bands=24&prefader=false", asked)
        self.ends_well(panel)

    # Accessibility

    def test_axe_finds_nothing(self):
        run = self.play({**mixer_patch(), "title": "For everybody"})
        space = self.play_another(space_patch())
        for name, options in {
            "light": {}, "dark": {"color_scheme": "dark"}, "phone": {"is_phone": True},
            "dark phone": {"is_phone": True, "color_scheme": "dark"},
        }.items():
            with self.subTest(name):
                panel = self.open(run, **options)
                page = panel.page
                panel.waits_until("taps", lambda: page.locator(".tap-card").count() == 3)
                self.assertEqual(violations(page), [])
                for opener, dialog in (("#stop", "#stop-dialog"), ("#help", "#help-dialog")):
                    page.locator(opener).click()
                    self.assertEqual(violations(page), [], dialog)
                    page.keyboard.press("Escape")
                for details in page.locator("details").all():
                    details.evaluate("details => details.open = true")
                for view in ("graph", "timeline", "console"):
                    panel.show(view)
                    self.assertEqual(violations(page), [], view)
                panel.slider(PAN).press("Enter")
                page.keyboard.type("7")
                page.keyboard.press("Enter")
                panel.waits_until("a message", lambda: page.locator(".message").count())
                for pane in ("taps", "events", "controls", "document"):
                    panel.edit() if pane == "document" else panel.beside(pane)
                    self.assertEqual(violations(page), [], pane)
                panel.write(panel.document().replace('"volume": 0.5', '"volum": 7', 1))
                panel.waits_until("diagnostics", lambda: page.locator("#diagnostics li").count())
                run.put("/title", f"For everybody, {name}")
                panel.waits_until("a conflict", lambda: page.locator("#conflict").is_visible())
                self.assertEqual(violations(page), [], "all that is wrong")
                self.assertEqual(page.evaluate(
                    "document.documentElement.scrollWidth - innerWidth"), 0, "it fits")
                panel.close()
                panel = self.open(space, **options)
                # Its output is at 0 dB and has no switch, which does not count as muted.
                panel.waits_until("the strips", lambda: "Muted" in panel.page.locator(".counts").text_content())
                self.assertIn("Muted 0", panel.page.locator(".counts").text_content())
                panel.inspect("space")
                self.assertEqual(violations(panel.page), [], "the pad")
                panel.close()

    def test_the_keyboard_reaches_everything(self):
        panel = self.open(self.play(mixer_patch()))
        page = panel.page
        reached = set()
        for step in range(240):
            if step == 120:
                page.keyboard.press("d")
            page.keyboard.press("Tab")
            here = page.evaluate(
                "(e => e.dataset.slider || e.id || e.dataset.node || e.tagName)(document.activeElement)")
            if here in reached and here == "BODY" and "text" in reached:
                break
            reached.add(here)
            if here == "text":
                page.keyboard.press("Escape")
        for wanted in ("pause", "stop", "help", "graph-fit", "mixer", VOLUME, PAN, INPUT_VOLUME,
                       "/nodes/eq/properties/presentPreset", "text", "strip-search"):
            self.assertIn(wanted, reached)
        # The focused element is highlighted.
        panel.slider(VOLUME).focus()
        page.keyboard.press("Shift")
        self.assertNotEqual(panel.slider(VOLUME).evaluate("e => getComputedStyle(e).outlineStyle"), "none")
        page.keyboard.press("?")
        self.assertTrue(page.locator("#help-dialog").is_visible())

    # Tests of the checks

    def test_axe_finds_what_is_put_there(self):
        panel = self.open(self.play(mixer_patch()))
        page = panel.page
        page.evaluate("""() => {
          const picture = document.createElement("img");
          const pale = document.createElement("p");
          pale.textContent = "Hardly to be read";
          pale.style.color = "#ddd";
          document.querySelector("#graph").append(picture, pale);
          document.querySelector('[role="slider"]').removeAttribute("aria-label");
          document.querySelector('[role="slider"]').removeAttribute("title");
        }""")
        found = {line.split(":")[0] for line in violations(page)}
        self.assertLessEqual({"image-alt", "color-contrast", "aria-input-field-name"}, found)

    def test_console_errors_and_forbidden_scripts_are_seen(self):
        panel = self.open(self.play(mixer_patch()))
        panel.page.evaluate("console.error('something')")
        panel.page.evaluate("setTimeout(() => { throw new Error('else') })")
        panel.waits_until("both", lambda: len(panel.problems) == 2)
        panel.problems.clear()
        # The content security policy allows only the page's own scripts.
        panel.page.evaluate("""() => {
          const script = document.createElement("script");
          script.textContent = "window.isBroken = true";
          document.body.append(script);
        }""")
        panel.waits_until("word of it", lambda: any("Content Security" in one for one in panel.problems))
        self.assertFalse(panel.page.evaluate("'isBroken' in window"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
