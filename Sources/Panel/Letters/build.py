#!/usr/bin/env python3
"""Builds Sources/Panel/Page/letters.css, the letters of the panel, anew.

    sudo apt-get install fonts-inter
    python3 -m pip install fonttools brotli
    python3 Sources/Panel/Letters/build.py

They are Inter (OFL 1.1) in two weights, as much of it as the page's own words and names in European languages take.
Its figures are all as wide as each other, so that numbers do not move while they change.
"""

import base64
import io
import pathlib

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).resolve().parent
SHEET = HERE.parent / "Page" / "letters.css"
FONTS = pathlib.Path("/usr/share/fonts/opentype/inter")
WEIGHTS = [(400, "Inter-Regular.otf"), (600, "Inter-SemiBold.otf")]
# Latin with its accents, and the signs that the page writes.
LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *map(ord, "–—‘’“”…•−×÷∞←→↑↓⇄±≥≤")]


def squeezed(file):
    """The letters as a WOFF2."""
    font = TTFont(file)
    options = subset.Options()
    options.layout_features = ["kern", "tnum", "mark", "ccmp", "locl"]
    options.desubroutinize = False
    options.hinting = False
    options.name_IDs = [0, 1, 2, 13, 14]
    options.notdef_outline = True
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=LETTERS)
    subsetter.subset(font)
    font.flavor = "woff2"
    place = io.BytesIO()
    font.save(place)
    return place.getvalue()


def main():
    parts = ["/* Made by Sources/Panel/Letters/build.py: Inter, Copyright 2016 The Inter Project Authors\n"
             "   (https://github.com/rsms/inter), under the SIL Open Font License 1.1: Sources/Panel/Letters/LICENSE */"]
    for weight, name in WEIGHTS:
        data = base64.b64encode(squeezed(FONTS / name)).decode()
        parts.append("@font-face {\n  font-family: \"Panel\";\n  font-weight: %d;\n  font-display: block;\n"
                     "  src: url(data:font/woff2;base64,%s) format(\"woff2\");\n}" % (weight, data))
    SHEET.write_text("\n\n".join(parts) + "\n")
    print(f"{SHEET.name}: {SHEET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
