"""A page of the panel in a browser, and what went wrong in it."""

import os

from stage import CHROMIUM, PACKAGE, wait_for

FILES = PACKAGE / "Sources/Panel/Page"


def open_browser(playwright):
    # There is no sandbox for root, and little shared memory in a container.
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])


class Page:
    """The panel, opened; `problems` are console errors, exceptions, and requests that failed."""

    def __init__(self, browser, address, is_phone=False, **options):
        if is_phone:
            options = {"viewport": {"width": 360, "height": 740}, "is_mobile": True,
                       "has_touch": True, **options}
        self.context = browser.new_context(**{"viewport": {"width": 1440, "height": 1000}, **options})
        self.page = self.context.new_page()
        self.problems = []
        self.responses = {}
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.on("response", self._response)
        self.address = address
        if os.environ.get("PANEL_FROM_DISK"):
            # The source files of the page, for its developers: without a build.
            self.page.route("**/panel/*", self._from_disk)
            self.page.route(address, self._page_from_disk)
        self.load()

    def _from_disk(self, route):
        kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "woff2": "font/woff2"}
        file = FILES / route.request.url.rsplit("/", 1)[1]
        route.fulfill(body=file.read_bytes(), content_type=kinds[file.suffix[1:]])

    def _page_from_disk(self, route):
        route.fulfill(response=route.fetch(), body=(FILES / "index.html").read_text())

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _response(self, response):
        path = response.url[len(self.address) - 1:]
        # Cached files are not sent again (304).
        if response.status == 200 and (path == "/" or path.startswith("/panel/")):
            self.responses[path] = response

    def load(self):
        self.page.goto(self.address, wait_until="load")
        self.page.wait_for_selector("body[data-ready]", timeout=20_000)
        # The sliders appear when the controls have arrived.
        self.page.wait_for_selector("main [data-slider], main .overview", timeout=20_000)

    @property
    def weights(self):
        """Bytes of the page's files, as they were sent."""
        return {path: response.request.sizes()["responseBodySize"] for path, response in self.responses.items()}

    def close(self):
        self.context.close()

    def show(self, view):
        self.page.locator(f'#views [data-view="{view}"]').click()

    def beside(self, pane):
        self.page.locator(f'#panes [data-pane="{pane}"]').click()

    def inspect(self, node):
        """Chooses a node on the map."""
        self.show("graph")
        self.page.locator(f'#graph-view g[data-node="{node}"], #graph-view g[data-callback="{node}"]').first.press("Enter")

    def slider(self, pointer):
        """What turns a value: on a strip of the console where there is one, otherwise in the inspector."""
        return self.page.locator(f'[data-slider="{pointer}"]').first

    def spoken(self, pointer):
        return self.slider(pointer).get_attribute("aria-valuetext")

    def waits_until(self, what, condition, seconds=20):
        """Asks the page again and again."""
        def asked():
            # Lets the page run and process events.
            self.page.wait_for_timeout(20)
            return condition()
        return wait_for(what, asked, seconds)

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    # The document in the editor

    EDITOR = """import("/panel/codemirror.js").then(({ EditorView }) =>
        EditorView.findFromDOM(document.querySelector(".cm-editor")))"""

    def edit(self):
        """Shows the document, and waits for its editor."""
        self.beside("document")
        self.page.wait_for_selector("#text", timeout=20_000)

    def document(self):
        return self.page.evaluate(f"{self.EDITOR}.then(view => view.state.sliceDoc())")

    def write(self, text):
        """Puts a text in the place of all that is there, as if it were pasted."""
        self.page.evaluate("text => " + self.EDITOR + """.then(view => {
            view.focus();
            view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "input.paste" });
        })""", text)

    def place(self, text):
        """Puts the cursor behind a text."""
        self.page.evaluate("text => " + self.EDITOR + """.then(view => {
            const anchor = view.state.sliceDoc().indexOf(text) + text.length;
            view.focus();
            view.dispatch({ selection: { anchor }, scrollIntoView: true });
        })""", text)

    def selected(self):
        return self.page.evaluate(f"{self.EDITOR}.then(view => view.state.sliceDoc("
                                  "view.state.selection.main.from, view.state.selection.main.to))")
