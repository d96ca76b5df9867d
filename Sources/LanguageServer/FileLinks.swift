import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCallbacks
import RenderTaps

/// Links to the files that a patch or a test file names.
struct FileLinks {
  let patch: OpenPatch

  /// The protocol's `DocumentLink`s. Whether a file exists is not checked: the editor reports it
  /// when somebody follows the link.
  func list() -> JSONText {
    .array(
      paths().compactMap { value -> JSONText? in
        guard let path = value.string, !path.isEmpty, !path.contains("://"), !path.hasPrefix("urn:")
        else { return nil }
        let place = path.hasPrefix("/") ? path : folder + path
        return [
          "range": patch.places.range(value.range), "target": .string(Self.uri(of: place)),
        ]
      })
  }

  private var folder: String {
    let directory = OpenPatch.directory(of: patch.uri)
    return directory.isEmpty || directory.hasSuffix("/") ? directory : directory + "/"
  }

  private func paths() -> [JSONValue] {
    guard let root = patch.root, OpenPatch.path(of: patch.uri) != nil else { return [] }
    var found = [root["$schema"]].compactMap(\.self)
    if patch.isTests {
      found += [root["patch"]].compactMap(\.self)
      for (_, test) in members(root["tests"]) {
        found += [test["patch"], test["input"]].compactMap(\.self)
        for expectation in test["expect"].map({ Array($0.elements) }) ?? [] {
          found += [expectation["golden"]?["path"], expectation["sameAs"]?["patch"]]
            .compactMap(\.self)
        }
      }
      return found
    }
    for (_, node) in members(root["nodes"]) {
      found += [node["subgraph"]].compactMap(\.self)
    }
    for (_, callback) in members(root["callbacks"]) {
      let kind = callback["kind"]?.string ?? ""
      found += files(CallbackCatalog.description(of: kind)?.settings ?? [], callback)
    }
    for (_, tap) in members(root["taps"]) {
      let kind = tap["kind"]?.string ?? ""
      found += files(TapCatalog.ofPatches.description(of: kind)?.settings ?? [], tap)
    }
    return found
  }

  private func files(_ settings: [SettingInfo], _ value: JSONValue) -> [JSONValue] {
    settings.filter { $0.kind == .path }.compactMap { value[$0.key] }
  }

  /// The URI of a file, with `.` and `..` resolved without the file system.
  private static func uri(of path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "file://" + percentEncoded("/" + parts.joined(separator: "/"))
  }
}
