public import Diagnostics

/// A JSON Patch (RFC 6902): operations that are applied to a document one after the other, all of
/// them or none.
public struct JSONPatch: Sendable {
  /// The patch without operations.
  package static let nothing = JSONPatch(operations: [])

  /// One operation.
  public struct Operation: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
      case add, remove, replace, move, copy, test

      /// The members that it requires besides `op` and `path`.
      var requiredMembers: [String] {
        switch self {
        case .add, .replace, .test: ["value"]
        case .move, .copy: ["from"]
        case .remove: []
        }
      }
    }

    public var kind: Kind
    public var json: JSONValue
    public var path: Located<JSONPointer>
    /// The source of `move` and `copy`; `nil` for the others.
    public var from: Located<JSONPointer>?
    /// The value to set or to expect; `nil` for operations without one.
    public var value: JSONValue?
  }

  /// How `read` treats members that an operation does not use.
  public enum Strictness: Sendable {
    /// They are ignored, as RFC 6902 demands: for operations from elsewhere.
    case lenient
    /// They are refused, except for `comment`: for operations in a patch.
    case strict
  }

  /// The operations, in order.
  public let operations: [Operation]

  /// Reads operations.
  ///
  /// - Returns: The operations; `nil`, with diagnostics, where one of them is invalid.
  public static func read(
    _ json: JSONValue, strictness: Strictness
  ) -> (patch: JSONPatch?, diagnostics: [Diagnostic]) {
    guard json.kind == .array else {
      return (nil, json.kind == .invalid ? [] : [.notArray(json)])
    }
    var diagnostics: [Diagnostic] = []
    var operations: [Operation] = []
    var isWhole = true
    for element in json.elements {
      if let operation = operation(element, strictness, &diagnostics) {
        operations.append(operation)
      } else {
        isWhole = false
      }
    }
    let isSound = isWhole && !diagnostics.hasErrors
    return (isSound ? JSONPatch(operations: operations) : nil, diagnostics)
  }

  private static func operation(
    _ json: JSONValue, _ strictness: Strictness, _ diagnostics: inout [Diagnostic]
  ) -> Operation? {
    guard json.kind == .object else {
      if json.kind != .invalid { diagnostics.append(.notObject(json)) }
      return nil
    }
    var kind: Operation.Kind?
    if let op = json["op"] {
      kind = op.string.flatMap(Operation.Kind.init(rawValue:))
      if kind == nil, op.kind != .invalid { diagnostics.append(.unknownOperation(op)) }
    }
    if strictness == .strict, let kind {
      let keys = ["op", "path"] + kind.requiredMembers + ["comment"]
      for (key, _) in json.members {
        guard let name = key.string, !keys.contains(name) else { continue }
        diagnostics.append(.unknownMember(key, name, of: kind, keys: keys))
      }
    }
    let needs = ["op", "path"] + (kind?.requiredMembers ?? [])
    let misspelt = json.members.compactMap(\.key.string).filter { !needs.contains($0) }
    let missing = needs.filter { need in
      json[need] == nil
        && !(strictness == .strict
          && misspelt.contains { nearMisses(to: $0, among: [need]) == [need] })
    }
    if !missing.isEmpty { diagnostics.append(.missingMembers(missing, in: json, kind)) }
    let path = json["path"].flatMap { pointer($0, "path", &diagnostics) }
    let isMoving = kind == .move || kind == .copy
    let from = isMoving ? json["from"].flatMap { pointer($0, "from", &diagnostics) } : nil
    let value = kind?.requiredMembers == ["value"] ? json["value"] : nil
    guard let kind, let path, value != nil || kind.requiredMembers != ["value"],
      from != nil || !isMoving
    else { return nil }
    return Operation(kind: kind, json: json, path: path, from: from, value: value)
  }

  private static func pointer(
    _ json: JSONValue, _ name: String, _ diagnostics: inout [Diagnostic]
  ) -> Located<JSONPointer>? {
    guard json.kind == .string, let text = json.string else {
      if json.kind != .invalid { diagnostics.append(.notPointer(json, name)) }
      return nil
    }
    guard let pointer = JSONPointer(parsing: text) else {
      diagnostics.append(.badPointer(json, text))
      return nil
    }
    return Located(pointer, at: json)
  }
}

// MARK: Applying

extension JSONPatch {
  /// Reads operations and applies them to a document, as far as both can be done.
  ///
  /// - Parameters:
  ///   - json: The operations, read without errors and without repeated keys.
  ///   - tree: The document, read without errors.
  public static func apply(_ json: JSONValue, to tree: JSONTree) -> DocumentChange {
    let reading = read(json, strictness: .lenient)
    return reading.patch?.apply(to: tree) ?? .refused(reading.diagnostics)
  }

  /// Applies the operations to a document: all of them, or none where one fails. Reports each
  /// failure, but not those that only follow from one before.
  ///
  /// - Parameters:
  ///   - tree: The document, read without errors.
  ///   - base: See `SourceText.init(name:parts:base:)`.
  public func apply(to tree: JSONTree, base: SourceText? = nil) -> DocumentChange {
    let editor = DocumentEditor(tree)
    var diagnostics: [Diagnostic] = []
    var failed: [JSONPointer] = []
    for operation in operations {
      let places = [operation.path.value] + [operation.from?.value].compactMap(\.self)
      if places.contains(where: { place in failed.contains { $0.isPrefix(of: place) } }) {
        failed.append(operation.path.value)
        continue
      }
      // Near names are looked for only in the failures that are shown.
      editor.listsMemberNames = diagnostics.count < Findings.standardLimit
      guard let diagnostic = Self.perform(operation, with: editor) else { continue }
      diagnostics.append(diagnostic)
      if operation.kind == .test { continue }
      failed += places.map(\.unknownAfterFailure)
    }
    return diagnostics.isEmpty ? .changed(editor.text(base: base)) : .refused(diagnostics)
  }

  private static func perform(
    _ operation: Operation, with editor: DocumentEditor
  ) -> Diagnostic? {
    let path = operation.path.value
    if operation.kind == .move, let from = operation.from, from.value != path,
      from.value.isPrefix(of: path)
    {
      return .intoItself(operation.path, from: from)
    }
    // The pointer that a failure refers to.
    var walked = operation.path
    do throws(DocumentEditor.Failure) {
      let key = operation.key
      switch (operation.kind, operation.value, operation.from) {
      case (.add, let value?, _): try editor.add(ChangedValue(value), at: path, key: key)
      case (.replace, let value?, _): try editor.replace(path, with: ChangedValue(value))
      case (.test, let value?, _):
        let found = try editor.value(at: path)
        if !found.equals(value) { return .testFailed(operation.path, value, found.summary) }
      case (.copy, _, let from?):
        walked = from
        let value = try editor.copy(from.value)
        walked = operation.path
        try editor.add(value, at: path, key: key)
      case (.move, _, let from?):
        walked = from
        if from.value == path {
          _ = try editor.value(at: path)
          return nil
        }
        let value = try editor.remove(from.value)
        walked = operation.path
        try editor.add(value, at: path, key: key)
      default: _ = try editor.remove(path)
      }
      return nil
    } catch {
      return .failed(error, walked, operation.kind)
    }
  }
}

extension JSONPatch.Operation {
  /// The name of the member that it adds: the last token of its path.
  fileprivate var key: ChangedContainer.Key {
    let token = path.value.tokens.last ?? ""
    return ChangedContainer.Key(
      name: Array(token.utf8), range: path.range(ofToken: path.value.tokens.count - 1),
      source: json.tree.source, isWritten: false)
  }
}

extension Located<JSONPointer> {
  /// Where a token is written; the range of the whole pointer where it has no such token.
  public func range(ofToken number: Int) -> SourceRange {
    guard value.tokens.indices.contains(number) else { return json.range }
    let before = JSONPointer(Array(value.tokens.prefix(number))).description.utf8.count + 1
    let length = JSONPointer.escape(value.tokens[number]).utf8.count
    guard length > 0 else { return json.range }
    return json.range(ofText: before..<(before + length))
  }
}

extension JSONPointer {
  /// Whether it leads to the same place, or to a value that contains it.
  public func isPrefix(of other: JSONPointer) -> Bool { other.tokens.starts(with: tokens) }

  /// The place whose values are unknown once an operation here has failed. For an element it is the
  /// whole array, because the elements after it would have moved.
  fileprivate var unknownAfterFailure: JSONPointer {
    guard let last = tokens.last, last == "-" || Self.arrayIndex(last) != nil else { return self }
    return JSONPointer(Array(tokens.dropLast()))
  }
}

// MARK: Wording

extension Diagnostic {
  private static let example =
    "{ \"op\": \"replace\", \"path\": \"/nodes/eq/properties/presentPreset\", \"value\": \"Flat\" }"

  fileprivate static func notArray(_ json: JSONValue) -> Diagnostic {
    PatchRules.type.diagnostic(
      "a change of the document is an array of operations", at: json.markRange,
      pointer: json.pointer.description, label: "expected an array",
      help: ["write [ \(example) ], for example"])
  }

  fileprivate static func notObject(_ json: JSONValue) -> Diagnostic {
    PatchRules.type.diagnostic(
      "an operation is an object", at: json.markRange, pointer: json.pointer.description,
      label: "expected an object", help: ["write \(example), for example"])
  }

  fileprivate static func notPointer(_ json: JSONValue, _ name: String) -> Diagnostic {
    PatchRules.type.diagnostic(
      "\(Message(quoted(name))) is a string, a JSON Pointer", at: json.markRange,
      pointer: json.pointer.description, label: "expected a string",
      help: ["write \"/nodes/eq/properties/presentPreset\", for example"])
  }

  fileprivate static func badPointer(_ json: JSONValue, _ text: String) -> Diagnostic {
    let isNear = !text.hasPrefix("/") && JSONPointer(parsing: "/" + text) != nil
    let better = isNear ? "/" + text : ""
    return PatchRules.pointer.diagnostic(
      "\(Message(quoted(text))) is not a JSON Pointer", at: json.range,
      pointer: json.pointer.description,
      label: text.hasPrefix("/") ? "a '~' in it is neither '~0' nor '~1'" : "it begins with '/'",
      help: [
        isNear
          ? "write \(quoted(better))"
          : "a place in the document is written as /nodes/eq/properties/presentPreset"
      ],
      fixes: isNear
        ? [
          Fix(
            "write \(quoted(better))",
            edits: [
              Edit(
                json.range,
                String(decoding: JSONText.quoted(Array(better.utf8)[...]), as: UTF8.self))
            ])
        ] : [])
  }

  fileprivate static func unknownOperation(_ json: JSONValue) -> Diagnostic {
    let names = JSONPatch.Operation.Kind.allCases.map(\.rawValue)
    let all = "the operations are: " + names.joined(separator: ", ")
    guard let text = json.string else {
      return PatchRules.type.diagnostic(
        "'op' is a string", at: json.markRange, pointer: json.pointer.description,
        label: "expected a string", help: [all])
    }
    return ChangeRules.operation.diagnostic(
      "there is no operation \(Message(quoted(text)))", at: json.range,
      pointer: json.pointer.description,
      label: didYouMean(text, among: names).map { Message($0) } ?? "unknown operation",
      help: [all], fixes: json.correction(of: text, among: names))
  }

  fileprivate static func unknownMember(
    _ key: JSONValue, _ name: String, of kind: JSONPatch.Operation.Kind, keys: [String]
  ) -> Diagnostic {
    PatchRules.unknownKey.diagnostic(
      "the operation \(Message(quoted(kind.rawValue))) has no key \(Message(quoted(name)))",
      at: key.range, pointer: key.pointer.description,
      label: didYouMean(name, among: keys).map { Message($0) } ?? "unknown key",
      help: ["its keys are " + keys.map(quoted).joined(separator: ", ")],
      fixes: key.correction(of: name, among: keys))
  }

  fileprivate static func missingMembers(
    _ names: [String], in json: JSONValue, _ kind: JSONPatch.Operation.Kind?
  ) -> Diagnostic {
    let subject = kind.map { "the operation \(quoted($0.rawValue))" } ?? "an operation"
    let examples = [
      "op": "\"replace\"", "path": "\"/nodes/eq/properties/presentPreset\"", "value": "\"Flat\"",
      "from": "\"/nodes/eq\"",
    ]
    let members = names.map { "\"\($0)\": \(examples[$0] ?? "…")" }.joined(separator: ", ")
    return PatchRules.missingKey.diagnostic(
      "\(Message(subject)) needs \(Message(names.map(quoted).joined(separator: " and ")))",
      at: json.markRange, pointer: json.pointer.description,
      label: names.count == 1 ? "this key is missing here" : "these keys are missing here",
      help: ["add \(members), for example"])
  }

  fileprivate static func intoItself(
    _ path: Located<JSONPointer>, from: Located<JSONPointer>
  ) -> Diagnostic {
    ChangeRules.intoItself.diagnostic(
      "nothing can be moved into itself", at: path.range, pointer: path.pointer,
      label: "inside of what is moved", notes: [Note("this is moved", at: from.range)],
      help: ["\"copy\" can: it leaves what it takes where it is"])
  }

  fileprivate static func testFailed(
    _ path: Located<JSONPointer>, _ expected: JSONValue, _ found: String
  ) -> Diagnostic {
    let place = path.value.tokens.isEmpty ? "the document" : quoted(path.value.description)
    return ChangeRules.test.diagnostic(
      "the test fails: \(Message(place)) is \(Message(found))", at: expected.markRange,
      pointer: expected.pointer.description, label: "expected this",
      help: [
        "none of the operations is made; expect what is there by then, or leave the test out"
      ])
  }

  fileprivate static func failed(
    _ failure: DocumentEditor.Failure, _ pointer: Located<JSONPointer>,
    _ kind: JSONPatch.Operation.Kind
  ) -> Diagnostic {
    switch failure {
    case .tooDeep:
      return ChangeRules.size.diagnostic(
        "this would nest values more than \(Message(String(JSONReader.maximumDepth))) deep",
        at: pointer.range, pointer: pointer.pointer, label: "too deep")
    case .tooLong:
      return ChangeRules.size.diagnostic(
        "these operations copy more than \(Message(String(DocumentEditor.maximumCopied >> 20))) MiB",
        at: pointer.range, pointer: pointer.pointer, label: "too much by here",
        help: ["put the document itself in the place of the old one, instead of copying in it"])
    case .root:
      return ChangeRules.place.diagnostic(
        "the document itself cannot be taken away", at: pointer.range, pointer: pointer.pointer,
        label: "this is all of it", help: ["\"replace\" puts another in its place"])
    case .noMember(let token, let names):
      return missing(
        pointer, token, contents: contents(names),
        label: didYouMean(pointer.value.tokens[token], among: names) ?? "not there",
        more: kind == .replace && token == pointer.value.tokens.count - 1
          ? ["\"add\" puts a new member there"] : [],
        fixes: pointer.json.correction(ofToken: token, in: pointer.value, among: names))
    case .noElement(let token, let count, let isIndex):
      let isAdding = kind == .add || kind == .move || kind == .copy
      let isLast = token == pointer.value.tokens.count - 1
      return missing(
        pointer, token,
        contents: count == 0
          ? "is empty"
          : count == 1 ? "has 1 element, 0" : "has \(count) elements, 0 to \(count - 1)",
        label: isIndex ? "no such element" : "this is no index",
        more: isAdding && isLast ? ["'-' stands for the place behind the last one"] : [], fixes: [])
    case .noContainer(let token):
      return missing(
        pointer, token, contents: "is neither an object nor an array", label: "not there",
        more: [], fixes: [])
    }
  }

  private static func contents(_ names: [String]) -> String {
    if names.isEmpty { return "is empty" }
    return "has \(names.prefix(12).map(quoted).joined(separator: ", "))"
      + (names.count > 12 ? " and \(names.count - 12) more" : "")
  }

  private static func missing(
    _ pointer: Located<JSONPointer>, _ token: Int, contents: String, label: String,
    more: [String], fixes: [Fix]
  ) -> Diagnostic {
    let way = JSONPointer(Array(pointer.value.tokens.prefix(token)))
    let place = way.tokens.isEmpty ? "the document" : quoted(way.description)
    return ChangeRules.place.diagnostic(
      "\(Message(place)) has no \(Message(quoted(pointer.value.tokens[token])))",
      at: pointer.range(ofToken: token), pointer: pointer.pointer, label: Message(label),
      help: ["\(place) \(contents)"] + more, fixes: fixes)
  }
}
