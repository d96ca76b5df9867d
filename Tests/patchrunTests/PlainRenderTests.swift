import ArgumentParser
import TestSupport
import Testing

@testable import patchrun

/// `render` commands that are parsed without the full parser give the same result as with it.
@Suite struct PlainRenderTests {
  /// All members of a command, as text.
  private func contents(_ command: Any) -> String {
    var text = ""
    dump(command, to: &text)
    return text
  }

  @Test(arguments: [
    ["a.json"], ["a.json", "-o", "b.wav"], ["-q", "a.json", "-o", "b.wav"],
    ["--quiet", "--output", "b.flac", "a.json", "--duration", "2.5"],
    ["a.json", "b.json", "--duration", "1:30", "-o", "{name}.wav"], ["a=b.json", "-o", "=.wav"],
    ["a b.json", "-o", " "], ["ä.json", "-q"], ["a.json", "--limit", "nodes=20000"],
    ["a.json", "--no-sync", "-o", "b.wav"],
    ["--limit", "memory=2G", "a.json", "--limit", "bytes=64M", "--limit", "memory=1G"],
  ])
  func `the plain way reads what the parser reads`(arguments: [String]) throws {
    let plain = try #require(RenderTask.plain(arguments))
    let parsed = try #require(try Render.parseAsRoot(arguments) as? Render)
    #expect(contents(plain) == contents(parsed.task))
    #expect(contents(plain).contains("a"))
  }

  @Test(arguments: [
    [], ["-q"], ["a.json", "-o"], ["a.json", "-o", "-"], ["-", "-o", "b.wav"],
    ["a.json", "-ob.wav"], ["a.json", "--output=b.wav"], ["a.json", "-o", "b", "-o", "c"],
    ["a.json", "-q", "--quiet"], ["a.json", "--duration", "-1"], ["a.json", "--duration", "long"],
    ["a.json", "--duration", "1", "--duration", "2"], ["--", "a.json"], ["a.json", "--help"],
    ["a.json", "-h"], ["a.json", "--json"], ["a.json", "-qo", "b.wav"], ["a.json", "-o", "-x"],
    ["", "-o", "b.wav"], ["a.json", "--threads", "2"], ["a.json", "--limit"],
    ["a.json", "--limit", "nodes"], ["a.json", "--limit", "noodles=3"],
    ["a.json", "--limit=nodes=3"], ["a.json", "--no-sync", "--no-sync"],
  ])
  func `what is not plain is left to the parser`(arguments: [String]) {
    #expect(RenderTask.plain(arguments).map(contents) == nil)
  }

  @Test func `random arguments are read the same both ways`() throws {
    var random = SplitMix64(seed: 14)
    let words = [
      "a.json", "b.json", "-o", "--output", "c.wav", "-q", "--quiet", "--duration", "3",
      "--limit", "nodes=7", "--no-sync",
    ]
    var plainOnes = 0
    for _ in 0..<3000 {
      let arguments = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        words.randomElement(using: &random) ?? ""
      }
      guard let plain = RenderTask.plain(arguments) else { continue }
      plainOnes += 1
      guard plainOnes.isMultiple(of: 5) else { continue }
      let parsed = try #require(try Render.parseAsRoot(arguments) as? Render, "\(arguments)")
      #expect(contents(plain) == contents(parsed.task), "\(arguments)")
    }
    #expect(plainOnes > 500)
  }
}
