import Diagnostics
import Foundation
import GraphDrawings
import PatchSyntax
import TestSupport
import Testing

@testable import PatchGraph
@testable import PatchReference

/// The page of pictures, `patches/pictures/README.md`, is generated from the patches.
///
/// `PATCHRUN_REPRINT=1 swift test --filter GalleryTests` rewrites the page and the pictures. Look
/// at the differences before you commit them.
@Suite struct GalleryTests {
  private static let folder = PrintedFiles.package.appending(path: "patches")
  private static let isReprinting =
    ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil

  /// The patches in the order of the cookbook, which lists all of them.
  static let patches: [String] = {
    let text = PrintedFiles.text(of: "patches/README.md") ?? ""
    return text.matches(of: /\[`([^`]+\.json)`\]\(([^)]+)\)/).compactMap { match in
      let isPatch = match.output.1 == match.output.2 && !match.output.1.hasPrefix("parts/")
      return isPatch ? String(match.output.1) : nil
    }
  }()

  /// `bit-crusher` for `native/bit-crusher.json`.
  private static func title(_ name: String) -> String {
    String(name.split(separator: "/").last?.dropLast(".json".count) ?? "")
  }

  private static func document(_ name: String) throws -> PatchDocument {
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
    return try #require(PatchReader.read(bytes: bytes, name: name).document)
  }

  /// The first part of a patch's comment.
  private static func sentence(_ document: PatchDocument) -> String {
    let comment = document.root["comment"]
    return comment?.string ?? comment?.elements.first { _ in true }?.string ?? ""
  }

  /// The command that plays the patch.
  private static func command(_ name: String, _ document: PatchDocument) -> String {
    let path = "patches/\(name)"
    let units = document.root["nodes"].map { Array($0.members) } ?? []
    let isOffline = units.contains { $0.value["component"]?.string == "GenericOutput" }
    let isNative = document.callbacks.contains { $0.value.kind?.value == "native" }
    let sounds = document.root["callbacks"].map { Array($0.members) } ?? []
    let isEndless = sounds.contains { $0.value["loop"]?.bool == true }
    return isOffline
      ? "patchrun render \(path) -o \(title(name)).wav\(isEndless ? " --duration 5" : "")"
      : isNative ? "patchrun --allow-native \(path)" : "patchrun \(path)"
  }

  /// The expected page.
  private static func page() throws -> String {
    var text = """
      # The patches in pictures

      Each patch as `patchrun show --format svg` draws it, and the command that plays it, to be typed in
      the repository's root. [Drawing a patch](../../.github/manual/pictures.md) says how to read the
      pictures, [the cookbook](../README.md) what the patches are good for.

      """
    for name in patches {
      let document = try document(name)
      text += "\n## \(document.title?.value ?? name)\n\n"
      text += "[`\(name)`](../\(name)). \(sentence(document))\n\n"
      text += "```sh\n\(command(name, document))\n```\n\n"
      text += "![\(document.title?.value ?? name)](\(title(name)).svg)\n"
    }
    return text
  }

  @Test
  func `every patch is in the gallery`() throws {
    let files = FileManager.default.enumerator(atPath: Self.folder.path)?.allObjects ?? []
    let names = files.compactMap { $0 as? String }.filter {
      $0.hasSuffix(".json") && !$0.hasSuffix(".test.json") && !$0.hasPrefix("parts/")
    }
    #expect(Set(Self.patches) == Set(names))
    #expect(Set(names.map(Self.title)).count == names.count, "two would have one picture")
  }

  @Test
  func `the gallery says what the patches say`() throws {
    let page = try Self.page()
    if Self.isReprinting {
      try page.write(
        to: Self.folder.appending(path: "pictures/README.md"), atomically: true, encoding: .utf8)
    }
    #expect(page == PrintedFiles.text(of: "patches/pictures/README.md"))
  }

  @Test(arguments: patches)
  func `a picture is the one that the program draws`(name: String) throws {
    let picture = try DrawingTests.drawing(of: Self.folder.appending(path: name)).svg()
    let path = "pictures/\(Self.title(name)).svg"
    if Self.isReprinting {
      try FileManager.default.createDirectory(
        at: Self.folder.appending(path: "pictures"), withIntermediateDirectories: true)
      try picture.write(
        to: Self.folder.appending(path: path), atomically: true, encoding: .utf8)
    }
    #expect(
      picture == PrintedFiles.text(of: "patches/\(path)"),
      "print it again: patchrun show patches/\(name) --format svg -o patches/\(path)")
    #expect(picture.utf8.count < 24_000)
  }

  @Test
  func `there are no other pictures`() throws {
    let folder = Self.folder.appending(path: "pictures")
    let pictures = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      Set(pictures) == Set(Self.patches.map { Self.title($0) + ".svg" } + ["README.md"]))
  }
}
