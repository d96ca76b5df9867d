"""What the tests of the panel begin with."""

import json
import unittest

from playwright.sync_api import sync_playwright

from page import Page, open_browser
from stage import Pulse, Run


class PanelCase(unittest.TestCase):
    """A sound server and a browser for all of a case; programs and pages for each test."""

    @classmethod
    def setUpClass(cls):
        cls.pulse = Pulse()
        cls.addClassCleanup(cls.pulse.close)
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = open_browser(cls.playwright)
        cls.addClassCleanup(cls.browser.close)

    def play(self, patch, *options, **more):
        file = self.pulse.folder / f"{self.id().split('.')[-1]}.json"
        file.write_text(json.dumps(patch, indent=2))
        run = Run(self.pulse, file, *options, **more)
        self.addCleanup(run.close)
        return run

    def open(self, run, **options):
        page = Page(self.browser, run.address, **options)
        self.addCleanup(page.close)
        return page

    def ends_well(self, *pages):
        for page in pages:
            self.assertEqual(page.problems, [])

    def play_another(self, patch):
        file = self.pulse.folder / f"{self.id().split('.')[-1]}-2.json"
        file.write_text(json.dumps(patch))
        run = Run(self.pulse, file)
        self.addCleanup(run.close)
        return run
