import Foundation
import Testing

@testable import Panel

/// The modules of the page bundled into one file.
@Suite struct PanelBundleTests {
  @Test func `what is imported stands before what imports it`() {
    let bundle = PanelBundle(
      of: [
        "main.js": """
        import { one, two as zwei } from "./a.js";
        import {
          three,
        } from "./b.js";
        await one();
        const { far } = await import("./far-c.js");
        const alone = await import("./alone.js");
        """,
        "a.js": """
        // Not import("./nothing.js").
        import { three } from "./b.js";

        export async function one() { return three; }
        export const two = 2;
        const own = "export const none";
        """,
        "b.js": "export class three {}\n", "far-c.js": "export const far = import(\"./b.js\");",
        "unused.js": "export const nobody = 1;",
      ], main: "main.js")
    #expect(bundle.order == ["b.js", "a.js", "far-c.js", "main.js"])
    #expect(bundle.circle.isEmpty)
    #expect(
      bundle.text == """
        const $b = (() => {
        class three {}

        return { three };
        })();
        const $a = (() => {
        // Not import("./nothing.js").
        const { three } = $b;

        async function one() { return three; }
        const two = 2;
        const own = "export const none";
        return { one, two };
        })();
        const $far_c = (() => {
        const far = Promise.resolve($b);
        return { far };
        })();
        const { one, two: zwei } = $a;
        const { three } = $b;
        await one();
        const { far } = await Promise.resolve($far_c);
        const alone = await import("./alone.js");
        """)
  }

  @Test func `modules that need each other are said`() {
    let bundle = PanelBundle(
      of: [
        "main.js": "import { a } from \"./a.js\";", "a.js": "import { b } from \"./b.js\";",
        "b.js": "import { a } from \"./a.js\";",
      ], main: "main.js")
    #expect(bundle.circle == ["main.js", "a.js", "b.js", "a.js"])
  }

  @Test func `the page's own modules are all in it, and need each other in no circle`() {
    let modules = PanelFile.sources.filter {
      $0.name.hasSuffix(".js") && $0.name != "codemirror.js"
    }
    let bundle = PanelBundle(
      of: Dictionary(modules.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first }),
      main: "main.js")
    #expect(bundle.circle.isEmpty)
    #expect(Set(bundle.order) == Set(modules.map(\.name)))
    // The bundle contains no module syntax.
    let lines = bundle.text.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("import ") || $0.hasPrefix("export ") }.isEmpty)
  }

  @Test func `the page names the files that it is served with`() throws {
    let index = try #require(PanelFile.index)
    #expect(
      Set(PanelFile.all.map(\.name)) == [
        "index.html", "icon.svg", "codemirror.js", "panel.js", "panel.css",
      ])
    #expect(index.text.contains("src=\"/panel/panel.js\""))
    #expect(index.text.contains("href=\"/panel/panel.css\""))
    #expect(!index.text.contains("main.js") && !index.text.contains("<!-- "))
  }
}
