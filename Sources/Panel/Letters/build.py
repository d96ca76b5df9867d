#!/usr/bin/env python3
"""Builds the letters of the panel anew: letters.css and the four files beside it in Sources/Panel/Page.

    python3 -m pip install fonttools==4.60.1 brotli==1.1.0
    python3 Sources/Panel/Letters/build.py

They are Inter 4.0 beta 7 (OFL 1.1), out of Debian's package of the version below, in two weights: what the page's own
words take, which comes with it, and what names in other European languages take besides, which a browser fetches when
it is wanted. All figures are as wide as each other, so that numbers do not move while they change.
"""

import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "Page"
PACKAGE = "fonts-inter=4.0~beta7+ds-1"
DIGEST = "6afd9014550e04b58bccf64b94f92ae1dbfd8018489b92de835408970234c24c"
WEIGHTS = [(400, "Inter-Regular.otf"), (600, "Inter-SemiBold.otf")]
# What the page itself writes; Latin with its accents.
BASIC = [*range(0x20, 0x7F), 0xA0, *map(ord, "°±·×÷µ–—‘’“”…•−∞←→↑↓⇄≥≤")]
MORE = [one for one in range(0xA1, 0x180) if one not in BASIC]


def fonts(folder):
    """Where the fonts of the package are, which is known by its hash."""
    subprocess.run(["apt-get", "download", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    package = next(pathlib.Path(folder).glob("*.deb"))
    found = hashlib.sha256(package.read_bytes()).hexdigest()
    if found != DIGEST:
        sys.exit(f"{package.name} is not the file that is known: its SHA-256 is {found}")
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return pathlib.Path(folder) / "usr/share/fonts/opentype/inter"


def squeezed(file, letters):
    """The letters as a WOFF2."""
    font = TTFont(file)
    options = subset.Options()
    options.layout_features = ["kern", "tnum", "mark", "ccmp", "locl"]
    options.desubroutinize = False
    options.hinting = False
    options.name_IDs = [0, 1, 2, 13, 14]
    options.notdef_outline = True
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    font.flavor = "woff2"
    place = io.BytesIO()
    font.save(place)
    return place.getvalue()


def ranges(letters):
    """`U+20-7E, U+A0`: as a style sheet has them."""
    found = []
    for letter in sorted(letters):
        if found and found[-1][1] == letter - 1:
            found[-1][1] = letter
        else:
            found.append([letter, letter])
    return ", ".join(f"U+{first:X}" + (f"-{last:X}" if last > first else "") for first, last in found)


def main():
    parts = ["/* Made by Sources/Panel/Letters/build.py: Inter, Copyright 2016 The Inter Project Authors\n"
             "   (https://github.com/rsms/inter), under the SIL Open Font License 1.1: Sources/Panel/Letters/LICENSE */"]
    with tempfile.TemporaryDirectory() as folder:
        folder = fonts(folder)
        for part, letters in (("", BASIC), ("-more", MORE)):
            for weight, name in WEIGHTS:
                file = PAGE / f"letters{part}-{weight}.woff2"
                file.write_bytes(squeezed(folder / name, letters))
                print(f"{file.name}: {file.stat().st_size / 1000:.1f} kB")
                parts.append("@font-face {\n  font-family: \"Panel\";\n  font-weight: %d;\n  font-display: block;\n"
                             "  src: url(/panel/%s) format(\"woff2\");\n  unicode-range: %s;\n}"
                             % (weight, file.name, ranges(letters)))
    (PAGE / "letters.css").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
