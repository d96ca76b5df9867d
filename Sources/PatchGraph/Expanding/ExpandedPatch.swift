public import PatchSyntax

/// A patch written out: a plain document with the same meaning.
///
/// Constants, decibels and times become numbers, a repetition becomes single steps, and a sub-graph
/// becomes nodes, callbacks and formats whose names begin with its own, as in the graph. The
/// document validates like the patch, and renders the same samples to the bit. Its paths are
/// relative to the folder of the patch.
public struct ExpandedPatch: Sendable {
  /// The document. Comments are left out.
  public let document: JSONText

  /// Why a patch cannot be written out.
  public struct Refusal: Error, Hashable, Sendable {
    public var message: String
    public var help: String
  }

  /// Writes a patch out.
  ///
  /// - Parameters:
  ///   - patch: A patch without errors, whose graph is open.
  ///   - surroundings: The surroundings that it was built in.
  ///   - device: The device that it was built for.
  /// - Returns: `nil` for a patch that could not be built.
  /// - Throws: ``Refusal`` where a sub-graph converts more than eight channels on its way out,
  ///   which no unit of a plain patch does.
  public init?(
    _ patch: BuiltPatch, in surroundings: PatchSurroundings, device: PatchDevice
  ) throws(Refusal) {
    guard let first = PlainDocument(patch, directory: surroundings.directory),
      let timeline = PlainTimeline(patch, first, in: surroundings, device: device)
    else { return nil }
    var texts = PlainTexts()
    var members = try first.members(&texts)
    let steps = try timeline.steps(after: members, &texts)
    if !steps.isEmpty { members.append(.init("timeline", .array(steps))) }
    if !texts.constants.isEmpty {
      members.insert(
        .init("constants", .object(texts.constants)),
        at: members.firstIndex { !["$schema", "schemaVersion", "title"].contains($0.name) }
          ?? members.endIndex)
    }
    document = .object(members)
  }
}

/// Writes the texts of a plain document. A text that would be read as the name of a constant
/// becomes a constant itself.
struct PlainTexts {
  private(set) var constants: [JSONText.Member] = []
  private var names: [String: String] = [:]

  mutating func text(_ text: String) -> JSONText {
    guard Self.namesConstant(text) else { return .string(text) }
    if let name = names[text] { return .string("$" + name) }
    let name = "text\(names.count)"
    names[text] = name
    constants.append(.init(name, .string(text)))
    return .string("$" + name)
  }

  /// A value without comments.
  mutating func value(_ json: JSONValue) -> JSONText {
    switch json.kind {
    case .string: return text(json.string ?? "")
    case .array:
      var values: [JSONText] = []
      for element in json.elements { values.append(value(element)) }
      return .array(values)
    case .object:
      var members: [JSONText.Member] = []
      for (key, inside) in json.members {
        guard let name = key.string, name != "comment" else { continue }
        members.append(.init(name, value(inside)))
      }
      return .object(members)
    default: return JSONText(json)
    }
  }

  /// Whether a text may be read as the name of a constant: a dollar sign with something after it.
  private static func namesConstant(_ text: String) -> Bool {
    text.utf8.first == UInt8(ascii: "$") && text.utf8.count > 1
  }
}
