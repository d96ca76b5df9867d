import Foundation
import TestSupport
import Testing

/// A Markdown page, as far as the tests need it.
struct MarkdownPage: CustomTestStringConvertible {
  /// Relative to the package: `.github/manual/README.md`.
  var path: String
  var text: String
  /// The lines outside of code blocks, without code spans.
  var prose: [String]

  var testDescription: String { path }

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var isCode = false
    prose = []
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") || line.hasPrefix("  ```") || line.hasPrefix("   ```") {
        isCode.toggle()
      } else if !isCode {
        prose.append(line)
      }
    }
  }

  /// The targets of its links and pictures, as written.
  var targets: [String] {
    prose.flatMap { line -> [String] in
      let plain = line.replacing(/`[^`]*`/, with: "`")
      return plain.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
        + plain.matches(of: /(?:src|href)="([^"]+)"/).map { String($0.output.1) }
    }
  }

  /// The anchors of its headings, by GitHub's rules.
  var anchors: Set<String> {
    var seen: [String: Int] = [:]
    var anchors: Set<String> = []
    for line in prose where line.hasPrefix("#") {
      let slug = Self.slug(line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces))
      anchors.insert(seen[slug].map { "\(slug)-\($0)" } ?? slug)
      seen[slug, default: 0] += 1
    }
    return anchors
  }

  /// The text of a heading in lower case, without marks and with hyphens for blanks.
  static func slug(_ heading: String) -> String {
    let words = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
    return String(
      words.lowercased().compactMap { character -> Character? in
        if character == " " { return "-" }
        let isKept = character.isLetter || character.isNumber || "-_".contains(character)
        return isKept ? character : nil
      })
  }

  /// All pages of the package.
  static let all: [MarkdownPage] = {
    let package = House.root
    let folders = [".github", ".packaging", "Sources", "Tests", "patches", "schema"]
    let below = folders.flatMap { folder -> [String] in
      let files = FileManager.default.enumerator(atPath: package.appending(path: folder).path)
      return (files?.allObjects ?? []).compactMap { $0 as? String }.map { "\(folder)/\($0)" }
    }
    return (["README.md"] + below.filter { $0.hasSuffix(".md") }.sorted()).compactMap { path in
      let text = try? String(contentsOf: package.appending(path: path), encoding: .utf8)
      return text.map { MarkdownPage(path: path, text: $0) }
    }
  }()

  static let allAnchors = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0.anchors) })

  static func named(_ path: String) -> MarkdownPage? { all.first { $0.path == path } }

  static let manual = all.filter { $0.path.hasPrefix(".github/manual/") }
}

/// Checks the links and sizes of pages, and that every page is linked.
@Suite struct DocumentationTests {
  @Test func `the pages are found`() {
    #expect(MarkdownPage.named("README.md") != nil)
    #expect(MarkdownPage.manual.count > 50)
  }

  /// The path of a link's target relative to the package, and the anchor.
  private static func resolved(
    _ target: String, from page: String
  ) -> (path: String, anchor: String?) {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let anchor = parts.count > 1 ? String(parts[1]) : nil
    guard !parts[0].isEmpty else { return (page, anchor) }
    var way = page.split(separator: "/").dropLast().map(String.init)
    for part in parts[0].removingPercentEncoding?.split(separator: "/") ?? [] {
      if part == ".." { _ = way.popLast() } else if part != "." { way.append(String(part)) }
    }
    return (way.joined(separator: "/"), anchor)
  }

  /// The error in a link.
  private static func mistake(_ target: String, in page: MarkdownPage) -> String? {
    if target.hasPrefix("http") || target.hasPrefix("mailto:") || target.hasPrefix("doc:") {
      return nil
    }
    let (path, anchor) = resolved(target, from: page.path)
    let file = House.root.appending(path: path).path
    guard path == page.path || FileManager.default.fileExists(atPath: file) else {
      return "\(target): there is no \(path)"
    }
    guard let anchor else { return nil }
    let anchors = path == page.path ? page.anchors : MarkdownPage.allAnchors[path] ?? []
    return anchors.contains(anchor) ? nil : "\(target): \(path) has no heading #\(anchor)"
  }

  @Test(arguments: MarkdownPage.all)
  func `a link leads to a file that is there, and to a heading in it`(page: MarkdownPage) {
    for target in page.targets {
      let mistake = Self.mistake(target, in: page)
      #expect(mistake == nil, "\(page.path): \(mistake ?? "")")
    }
  }

  @Test func `a link that leads nowhere is caught`() {
    let page = MarkdownPage(
      path: "schema/A.md",
      text: "# A `b` & c\n[x](B.md) [y](#d) [z](#a-b--c) `[no](C.md)`\n```\n[no](D.md)\n```\n")
    #expect(page.targets == ["B.md", "#d", "#a-b--c"])
    #expect(page.targets.compactMap { Self.mistake($0, in: page) }.count == 2)
  }

  @Test func `the README fits one screen and a page of the manual a few`() throws {
    #expect(try #require(MarkdownPage.named("README.md")).text.utf8.count <= 10_000)
    for page in MarkdownPage.manual where !Self.generated.contains(page.path) {
      #expect(page.text.utf8.count <= 6_144, "\(page.path): \(page.text.utf8.count) bytes")
    }
  }

  /// Pages of the manual that the program prints. They may be of any length.
  private static let generated: Set<String> = [".github/manual/options.md"]

  @Test func `the index of the manual leads to each of its pages`() throws {
    let index = try #require(MarkdownPage.named(".github/manual/README.md"))
    let reached = Set(index.targets.map { Self.resolved($0, from: index.path).path })
    for page in MarkdownPage.manual where page.path != index.path {
      #expect(reached.contains(page.path), "\(page.path)")
    }
  }

  @Test(arguments: MarkdownPage.manual)
  func `a page of the manual has one title, and code blocks that are closed`(page: MarkdownPage) {
    #expect(page.text.hasPrefix("# "))
    #expect(page.prose.count { $0.hasPrefix("# ") } == 1)
    #expect(page.text.components(separatedBy: "\n").count { $0.hasPrefix("```") } % 2 == 0)
  }

  @Test func `every library that is linked is named in the README`() throws {
    let readme = try #require(MarkdownPage.named("README.md")).text
    let manual = try #require(MarkdownPage.named(".github/manual/dependencies.md")).text
    for name in [
      "libpulse", "libdbus", "libsndfile", "libsoxr", "kissfft", "libebur128", "cairo",
      "libmysofa", "libyaml", "libcrypto", "zlib", "CodeMirror", "swift-argument-parser",
      "swift-nio",
    ] {
      #expect(readme.contains(name) && manual.contains(name), "\(name)")
    }
  }
}
