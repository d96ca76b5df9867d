import Foundation
import Testing

@testable import Panel

/// The modules of the page bundled into two files.
@Suite struct PanelBundleTests {
  private func bundle(_ files: [String: String]) -> PanelBundle {
    PanelBundle(of: files.mapValues { Array($0.utf8) }, main: "main.js")
  }

  @Test
  func
    `what is imported stands before what imports it, and what is asked for later in another file`()
  {
    let bundle = bundle([
      "main.js": """
      import { one, two as zwei } from "./a.js";
      import {
        three,
      } from "./b.js";
      await one();
      const { far } = await import("./far-c.js");
      """,
      "a.js": """
      // Not import("./nothing.js").
      import { three } from "./b.js";

      /** Not
      import { that } from "./nothing.js"; */
      export async function one() {
        return three; // But this.
      }
      export const two = 2;
      const own = "export const none";
      """,
      "b.js": "export class three {}\n",
      "far-c.js": """
      import { three } from "./b.js";
      import { deep } from "./deep.js";
      export const far = [import("./alone.js"), import("./b.js"), import("./last.js")];
      """,
      "deep.js": "export const deep = 1;", "last.js": "export const last = 1;",
      "unused.js": "export const nobody = 1;",
    ])
    #expect(bundle.order == ["b.js", "a.js", "main.js"])
    #expect(bundle.later == ["deep.js", "far-c.js", "last.js"])
    #expect(bundle.importCycle.isEmpty)
    #expect(
      String(decoding: bundle.text, as: UTF8.self) == """
        const $b = (() => {
        class three {}
        return { three };
        })();
        const $a = (() => {
        const { three } = $b;
        async function one() {
        return three; // But this.
        }
        const two = 2;
        const own = "export const none";
        return { one, two };
        })();
        const { one, two: zwei } = $a;
        const { three } = $b;
        await one();
        const { far } = await import("./later-parts.js").then(({ load }) => load({ $b, $a }).$far_c);

        """)
    #expect(
      String(decoding: bundle.laterText, as: UTF8.self) == """
        export const load = (({ $b, $a }) => {
        const $deep = (() => {
        const deep = 1;
        return { deep };
        })();
        const $far_c = (() => {
        const { three } = $b;
        const { deep } = $deep;
        const far = [import("./alone.js"), Promise.resolve($b), Promise.resolve($last)];
        return { far };
        })();
        const $last = (() => {
        const last = 1;
        return { last };
        })();
        return { $deep, $far_c, $last };
        });

        """)
  }

  @Test func `modules that need each other are said`() {
    let bundle = bundle([
      "main.js": "import { a } from \"./a.js\";", "a.js": "import { b } from \"./b.js\";",
      "b.js": "import { a } from \"./a.js\";",
    ])
    #expect(bundle.importCycle == ["main.js", "a.js", "b.js", "a.js"])
  }

  @Test func `the page's own modules are all in it, and import each other without a cycle`() {
    let modules = PanelFile.sources.filter {
      $0.name.hasSuffix(".js") && $0.name != "codemirror.js"
    }
    let bundle = PanelBundle(
      of: Dictionary(modules.map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first }),
      main: "main.js")
    #expect(bundle.importCycle.isEmpty)
    #expect(Set(bundle.order + bundle.later) == Set(modules.map(\.name)))
    // The second file is loaded by one expression.
    let first = String(decoding: bundle.text, as: UTF8.self)
    #expect(first.split(separator: "import(\"./").count == 2)
    // The bundle contains no module syntax.
    let lines = first.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("import ") || $0.hasPrefix("export ") }.isEmpty)
  }

  @Test func `the page's own modules are written in the way that is taken apart`() {
    for file in PanelFile.sources where file.name.hasSuffix(".js") && file.name != "codemirror.js" {
      var isInComment = false
      for line in file.text.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
        if isInComment || line.hasPrefix("/*") {
          // Code after a comment would be left out with it.
          #expect(!line.contains("*/") || line.hasSuffix("*/"), "\(file.name): \(line)")
          isInComment = !line.contains("*/")
        } else if !line.hasPrefix("//"), !line.contains("/(`") {
          // A string over several lines would lose its indentation.
          #expect(
            line.count { $0 == "`" }.isMultiple(of: 2) || line.contains("\"`\""),
            "\(file.name): \(line)")
        }
      }
    }
  }

  @Test func `the page names the files that it is served with`() throws {
    let index = try #require(PanelFile.index)
    #expect(
      Set(PanelFile.all.map(\.name)) == [
        "index.html", "icon.svg", "codemirror.js", "panel.js", "later-parts.js", "panel.css",
        "letters-400.woff2", "letters-600.woff2", "letters-more-400.woff2",
        "letters-more-600.woff2",
      ])
    #expect(index.text.contains("src=\"/panel/panel.js\""))
    #expect(index.text.contains("href=\"/panel/panel.css\""))
    #expect(!index.text.contains("main.js") && !index.text.contains("<!-- "))
  }
}
