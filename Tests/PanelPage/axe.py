"""axe-core, which finds what keeps people out of a page."""

import importlib.resources

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def source():
    """axe.min.js, out of the package that brings it along."""
    return (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()


def violations(page):
    """A line for each violation of level A or AA."""
    if not page.evaluate("'axe' in window"):
        # Not as a script of the page, which its content security policy would block.
        page.evaluate(source() + "; undefined")
    results = page.evaluate(
        "levels => axe.run(document, { runOnly: levels, resultTypes: ['violations'] })", LEVELS)
    return [
        f"{found['id']}: {found['help']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for found in results["violations"] for node in found["nodes"]
    ]
