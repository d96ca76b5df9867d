import AudioTypes
import AudioUnits
import BackEnds
import Control
import Diagnostics
import PatchGraph
import PatchReference
import PatchSyntax
import RenderHost

/// The functions for `completion: .custom`. They get the words of the line, the index of the typed
/// word, and its beginning.
///
/// A candidate may contain a tab and its description.
enum CompletionValues {
  /// The audio units.
  static func units(_: [String], _: Int, _: String) -> [String] {
    UnitCatalog.standard.components.map { "\($0.name)\t\($0.unit.description.summary)" }
  }

  /// The codes of the rules.
  static func codes(_: [String], _: Int, _: String) -> [String] {
    RuleCatalog.all.map { "\($0.code)\t\($0.summary)" }
  }

  /// The topics of `explain`: codes, statuses and, after a first letter, names of rules.
  static func topics(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let rules = RuleCatalog.all.map { "\($0.name)\t\($0.summary)" }
    let statuses = StatusExplanation.all.map { page in
      "\(page.name)\t\(page.meaning.split(separator: "\n").joined(separator: " "))"
    }
    let numbers = StatusExplanation.all.map { "\($0.status.rawValue)\t\($0.name)" }
    let all = codes(words, index, typed) + rules + statuses + numbers
    return typed.isEmpty ? codes(words, index, typed) : all
  }

  /// The patterns of `new`.
  static func patterns(_: [String], _: Int, _: String) -> [String] {
    StarterPatch.all.map { "\($0.name)\t\($0.summary)" }
  }

  /// The sinks of the sound server; none without a server.
  static func sinks(_: [String], _: Int, _: String) -> [String] { devices(.sink) }

  /// The sources of the sound server; none without a server.
  static func sources(_: [String], _: Int, _: String) -> [String] { devices(.source) }

  private static func devices(_ direction: AudioDevice.Direction) -> [String] {
    ((try? BackEndCatalog.standard.devices()) ?? []).filter { $0.direction == direction }.map {
      "\($0.name)\t\($0.description)"
    }
  }

  /// The patches that are running.
  static func running(_: [String], _: Int, _: String) -> [String] {
    ControlFolder.standard.liveNames()
  }

  /// The pointers into the document of the running patch.
  static func runningPointers(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    guard let document = runningDocument(words) else { return [] }
    return PointerCompletion(document: document).pointers(typed, settings: false)
  }

  /// The pointers to settings of the running patch, in its document or not.
  static func runningSettings(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    guard let document = runningDocument(words) else { return [] }
    return PointerCompletion(document: document).pointers(typed, settings: true)
  }

  /// The values of the setting whose pointer precedes the word.
  static func runningValues(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    guard let document = runningDocument(words),
      let pointer = words.prefix(max(0, index)).last(where: { $0.hasPrefix("/") })
    else { return [] }
    return PointerCompletion(document: document).values(at: pointer)
  }

  /// `POINTER=` for the settings of the patch on the line, then `POINTER=VALUE`.
  static func overrides(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let path = words.enumerated().first {
      $0.offset > 0 && $0.offset != index
        && ($0.element.hasSuffix(".json") || $0.element.hasSuffix(".jsonc"))
    }
    guard let path = path?.element, let file = try? PatchFile(path),
      let document = JSONReader.readStrictly(file.source).tree?.root
    else { return [] }
    let completion = PointerCompletion(document: document)
    if let equals = typed.firstIndex(of: "=") {
      return completion.values(at: String(typed[..<equals])).map { "\(typed[...equals])\($0)" }
    }
    return completion.pointers(typed, settings: true).map { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      let pointer = parts[0].hasSuffix("/") ? String(parts[0]) : parts[0] + "="
      return parts.count > 1 ? "\(pointer)\t\(parts[1])" : pointer
    }
  }

  /// The document of the running patch that `--name` or `--socket` names, or of the only one.
  private static func runningDocument(_ words: [String]) -> JSONValue? {
    func option(_ name: String) -> String? {
      for (word, next) in zip(words, words.dropFirst()) where word == name { return next }
      return words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    let client: ControlClient
    if let socket = option("--socket") {
      client = ControlClient(socketPath: socket)
    } else {
      let folder = ControlFolder.standard
      let names = folder.liveNames()
      guard let name = option("--name") ?? (names.count == 1 ? names[0] : nil) else { return nil }
      client = ControlClient(socketPath: folder.socketPath(name))
    }
    guard let answer = try? client.send(.init(.get, "/patch")), answer.isSuccess else { return nil }
    return JSONReader.read(
      SourceText(name: "patch", bytes: Array(answer.body.utf8)), dialect: .jsonc
    ).tree?.root
  }
}
