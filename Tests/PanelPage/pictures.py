"""Takes the manual's pictures of the panel.

    .build/ci-panel/bin/pip install pillow
    .build/ci-panel/bin/python Tests/PanelPage/pictures.py
"""

import io
import json
import shutil

from PIL import Image
from playwright.sync_api import sync_playwright

from page import Page, open_browser
from stage import PACKAGE, Pulse, Run, desk_patch, wait_for

PICTURES = PACKAGE / ".github/pictures"


def demonstration():
    """The patch of the design pattern, with something to see on each bus."""
    patch = json.loads((PACKAGE / "patches/eq-mixer.json").read_text())
    patch["title"] = "A guitar and a beat, the beat equalized"
    mixer = patch["nodes"]["mixer"]
    for bus in (*mixer["inputs"].values(), *mixer["outputs"].values()):
        bus.setdefault("properties", {})["meteringMode"] = True
    patch["nodes"]["eq"]["properties"]["presentPreset"] = "Rock"
    patch["taps"] = {
        "level": {"kind": "meter", "at": "mixer"}, "programme": {"kind": "loudness", "at": "mixer"},
        "strings": {"kind": "spectrum", "at": "mixer", "size": 4096, "window": "blackmanHarris"},
    }
    return json.dumps(patch, indent=2)


def save(name, picture):
    """As few colours as it takes: a screen of this page has not many."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    file = PICTURES / name
    image.quantize(200, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file.relative_to(PACKAGE)}: {file.stat().st_size / 1000:.0f} kB, {image.width} x {image.height}")


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    pulse = Pulse()
    # A copy of the folder, with one more patch.
    folder = pulse.folder / "patches"
    shutil.copytree(PACKAGE / "patches", folder)
    (folder / "guitar-and-beat.json").write_text(demonstration())
    runs = []
    try:
        with sync_playwright() as playwright:
            browser = open_browser(playwright)
            (folder / "desk.json").write_text(json.dumps({**desk_patch(4, 4), "title": "A band of sixteen"}))
            for name in ("guitar-and-beat.json", "desk.json"):
                runs.append(Run(pulse, f"patches/{name}", folder=pulse.folder))
            pictures = [
                ("panel-light.png", 0, {"viewport": {"width": 1360, "height": 900}}),
                ("panel-dark.png", 1, {"viewport": {"width": 1600, "height": 940}, "color_scheme": "dark"}),
                ("panel-phone.png", 1, {"is_phone": True, "device_scale_factor": 2, "color_scheme": "dark"}),
            ]
            for name, number, options in pictures:
                panel = Page(browser, runs[number].address, **options)
                page = panel.page
                if number == 0:
                    wait_for("levels", lambda: runs[0].level() > -40)
                elif "phone" not in name:
                    page.locator("#meters-on").click()
                    page.locator(".strip-name").nth(6).click()
                page.wait_for_timeout(5_000)
                save(name, page.screenshot())
                panel.close()
            browser.close()
    finally:
        for run in runs:
            run.close()
        pulse.close()


if __name__ == "__main__":
    main()
