import Diagnostics
import NIOHTTP1
import PatchSyntax

/// The document that plays.
extension Routes {
  static let documentTypes = ["application/json", "application/jsonc"]
  static let patchTypes = ["application/json-patch+json", "application/merge-patch+json"]

  func answerPatch(
    _ request: ControlRequest, _ target: RequestTarget
  ) async -> ControlResponse {
    var pointer: JSONPointer?
    if let text = target["pointer"] {
      pointer = JSONPointer(parsing: text)
      guard pointer != nil else {
        return .problem(
          .badRequest, "'\(text)' is not a JSON Pointer",
          help: ["it begins with '/', and '~' stands only in ~0 and ~1"])
      }
    }
    switch request.method {
    case .GET, .HEAD: return await read(request, pointer)
    case .PATCH:
      guard pointer == nil else {
        return .problem(.badRequest, "a patch has its pointers inside: PUT and DELETE take one")
      }
      return await applyPatch(request)
    case .DELETE:
      guard let pointer, !pointer.tokens.isEmpty else {
        return .problem(
          .badRequest, "the whole document cannot be deleted",
          help: ["POST /stop ends it; DELETE /patch?pointer=/taps/mix takes a value away"])
      }
      return await change(.set([SettingEdit(pointer: pointer, value: nil)]), request)
    default:
      if let refusal = refusal(of: request, types: Self.documentTypes) { return refusal }
      guard let text = String(validating: request.body, as: UTF8.self) else { return notUTF8 }
      guard let pointer else { return await change(.replace(text: text), request) }
      guard JSONReading.value(of: text) != nil else {
        return .problem(.badRequest, "the body is not JSON", help: ["a text has quotes: \"Flat\""])
      }
      return await change(.set([SettingEdit(pointer: pointer, value: text)]), request)
    }
  }

  private func read(_ request: ControlRequest, _ pointer: JSONPointer?) async -> ControlResponse {
    let document = await patch.document()
    let tag = ("ETag", EntityTags.quoted(document.tag))
    if EntityTags("If-None-Match", in: request.headers)?.matchesWeakly(document.tag) == true {
      return ControlResponse(status: .notModified, headers: [tag])
    }
    // A document with comments is not JSON.
    let headers = [tag, ("Content-Type", Self.documentTypes[document.isJSON ? 0 : 1])]
    guard let pointer else { return ControlResponse(headers: headers, body: document.text) }
    guard let root = document.root else {
      return .problem(.internalServerError, "the document cannot be read")
    }
    guard let value = root[pointer] else { return notFound(at: pointer, in: root) }
    return ControlResponse(headers: headers, body: Self.written(value) + "\n")
  }

  /// The text of a value without the indentation of its first line. Strings contain no line feeds,
  /// so each line feed is between values.
  private static func written(_ value: JSONValue) -> String {
    let bytes = value.tree.source.bytes
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let before = bytes[..<value.range.lowerBound]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let indentation = before[lineStart...].prefix(while: isBlank).count
    let lines = bytes[value.range].split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().map { number, line in
      let blanks = number == 0 ? 0 : min(indentation, line.prefix(while: isBlank).count)
      return String(decoding: line.dropFirst(blanks), as: UTF8.self)
    }.joined(separator: "\n")
  }

  private func notFound(at pointer: JSONPointer, in root: JSONValue) -> ControlResponse {
    var way = JSONPointer()
    var container = root
    for token in pointer.tokens {
      guard let inside = container[JSONPointer([token])] else { break }
      container = inside
      way.append(token)
    }
    let keys = container.members.compactMap { $0.key.string }
    let place = way.tokens.isEmpty ? "the patch" : way.description
    return .problem(
      .notFound, "the patch has nothing at \(pointer.description)",
      help: keys.isEmpty ? [] : ["\(place) has: \(keys.joined(separator: ", "))"])
  }

  private func applyPatch(_ request: ControlRequest) async -> ControlResponse {
    if var refusal = refusal(of: request, types: Self.patchTypes) {
      refusal.headers.append(("Accept-Patch", list(Self.patchTypes)))
      return refusal
    }
    guard let text = String(validating: request.body, as: UTF8.self) else { return notUTF8 }
    let isMerge = mediaType(request) == Self.patchTypes[1]
    return await change(isMerge ? .merge(text: text) : .patch(operations: text), request)
  }

  var notUTF8: ControlResponse {
    .problem(.badRequest, "the body is not UTF-8")
  }

  private func change(_ change: ControlChange, _ request: ControlRequest) async -> ControlResponse {
    await ifMatched(request) { tag in
      answer(await patch.change(change, ifMatch: tag, by: .http, through: request.entrance))
    }
  }

  /// Answers a request that `If-Match` may bind to one document.
  ///
  /// - Parameter body: Gets the tag of the document; `nil` for any document.
  func ifMatched(
    _ request: ControlRequest, _ body: (_ tag: String?) async -> ControlResponse
  ) async -> ControlResponse {
    guard let condition = EntityTags("If-Match", in: request.headers) else {
      return await body(nil)
    }
    let tag = await patch.document().tag
    guard condition.matches(tag) else { return otherTag(tag) }
    return await body(condition == .any ? nil : tag)
  }

  func answer(_ outcome: ControlOutcome) -> ControlResponse {
    switch outcome {
    case .applied(let tag, let effects):
      tally.count(\.applied)
      return .json(
        ["tag": .string(tag), "changes": .array(effects.map(\.json))],
        headers: [("ETag", EntityTags.quoted(tag))])
    case .refused(let refusal):
      tally.count(\.refused)
      return .problem(
        .unprocessableEntity, "the patch would be wrong: it plays on as it was",
        members: refusal.json)
    case .otherTag(let tag): return otherTag(tag)
    case .failed(let message, let help):
      tally.count(\.refused)
      return .problem(.conflict, message, help: help)
    }
  }

  func otherTag(_ current: String) -> ControlResponse {
    .problem(
      .preconditionFailed, "another document plays by now", help: ["GET /patch again"],
      headers: [("ETag", EntityTags.quoted(current))])
  }
}
