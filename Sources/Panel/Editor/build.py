#!/usr/bin/env python3
"""Builds Sources/Panel/Page/codemirror.js, the editor of the panel, anew.

    sudo apt-get install esbuild
    python3 Sources/Panel/Editor/build.py

CodeMirror 6 (MIT) is published on npm only. Two packages of PyPI that contain it bring the source texts of its
modules along, in their source maps: these are taken out, and bundled by esbuild with what `entry.js` exports. What is
fetched is known by its hash. Two modules of no account, whose licence does not come along, are written here anew.
"""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
BUNDLE = HERE.parent / "Page" / "codemirror.js"
LICENCE = HERE / "LICENSE"

# Package, version, hash of its wheel, the source map in it, and the modules that are taken out of that.
WHEELS = [
    ("wagtail-html-editor", "1.0.1", "b316c5985edf0d28f5989db31b177ea447b361dae119f68ee7a8ba45fa0fa717",
     "/js/wagtail-html-editor.js.map",
     ["@codemirror/state", "@codemirror/view", "@codemirror/language", "@codemirror/autocomplete",
      "@codemirror/commands", "@codemirror/search", "@lezer/common", "@lezer/highlight", "style-mod", "crelt"]),
    ("jupyterlab-lsp", "5.3.0", "89f519c8de8ca0835551f40ddf69bf6a769411b0b1e75f5752fbe38d45e75f23",
     "/static/260.", ["@codemirror/lint"]),
]
OWN = {"w3c-keyname": "keys.js", "@marijn/find-cluster-break": "clusters.js"}


def fetched(folder, name, version, digest):
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                    "--dest", folder, f"{name}=={version}"], check=True)
    wheel = next(pathlib.Path(folder).glob(f"{name.replace('-', '_')}-{version}-*.whl"))
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != digest:
        sys.exit(f"{wheel.name} is not the file that is known: its SHA-256 is {found}")
    return zipfile.ZipFile(wheel)


def modules(wheel, map_name):
    """The text of each module of a source map, by the name of its package."""
    for name in wheel.namelist():
        if map_name in name and name.endswith(".map") and ".data/" not in name:
            sources = json.loads(wheel.read(name))
            for path, text in zip(sources["sources"], sources["sourcesContent"]):
                parts = path.split("node_modules/")[-1].split("/")
                yield "/".join(parts[:2] if parts[0].startswith("@") else parts[:1]), text


def put(folder, package, text):
    place = folder / "node_modules" / package
    place.mkdir(parents=True, exist_ok=True)
    (place / "index.js").write_text(text)
    (place / "package.json").write_text(json.dumps({"name": package, "main": "index.js", "sideEffects": False}))


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, version, digest, map_name, wanted in WHEELS:
            found = dict(modules(fetched(place, name, version, digest), map_name))
            for package in wanted:
                text = found[package]
                if package == "style-mod":
                    # The page's policy allows no style elements: sheets are adopted, also by a document.
                    condition = "if (!root.head && root.adoptedStyleSheets"
                    assert text.count(condition) == 1, "style-mod has changed"
                    text = text.replace(condition, "if (root.adoptedStyleSheets")
                put(folder, package, text)
        for package, file in OWN.items():
            put(folder, package, (HERE / file).read_text())
        shutil.copy(HERE / "entry.js", folder)
        subprocess.run(["esbuild", "entry.js", "--bundle", "--minify", "--format=esm", "--target=es2022",
                        "--legal-comments=none", f"--outfile={BUNDLE}"], cwd=folder, check=True)
    notice = LICENCE.read_text().replace("*/", "* /")
    BUNDLE.write_text(f"/*! Made by Sources/Panel/Editor/build.py\n\n{notice}*/\n{BUNDLE.read_text()}")
    print(f"{BUNDLE.name}: {BUNDLE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
