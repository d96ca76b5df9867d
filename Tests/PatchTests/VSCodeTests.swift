import Foundation
import TestSupport
import Testing

/// The extension for Visual Studio Code, packed as in the manual and tested with the program.
@Suite(.enabled(if: Node.isInstalled, "node is not there"))
struct VSCodeTests {
  private let root = URL(fileURLWithPath: CommandLineTool.patches).deletingLastPathComponent().path

  @Test
  func `the packed extension shows findings, completes, renames, mends and survives its server`()
    throws
  {
    let place = try Workplace()
    let packed = try place.shell(
      "python3 '\(root)/.packaging/vsix/build' a.vsix && python3 -m zipfile -e a.vsix unpacked"
    ).wait()
    #expect(packed.status == 0, "\(packed.errors)")
    let outcome = try place.shell("node '\(root)/Tests/VSCode/test.js' unpacked").wait()
    #expect(outcome.status == 0 && outcome.output == "the extension works\n", "\(outcome.errors)")
  }

  @Test
  func `it is packed to the same bytes each time, with manifests that name what is in it`() throws {
    let place = try Workplace()
    let build = "python3 '\(root)/.packaging/vsix/build'"
    #expect(try place.shell("\(build) a.vsix && sleep 2 && \(build) b.vsix").wait().status == 0)
    #expect(try place.bytes("a.vsix") == place.bytes("b.vsix"))
    _ = try place.shell("python3 -m zipfile -e a.vsix .").wait()
    let manifest = String(decoding: try place.bytes("extension.vsixmanifest"), as: UTF8.self)
    for match in manifest.matches(of: /Path="([^"]+)"/) {
      #expect(place.exists(String(match.output.1)), "\(match.output.1)")
    }
    let data = Data(try place.bytes("extension/package.json"))
    let package = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let version = try place.run("--version").output
    #expect(version.contains(package["version"] as? String ?? "none"), "\(version)")
  }
}

private enum Node {
  static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/node") }
}
