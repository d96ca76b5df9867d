import Diagnostics

/// Values with a name: `"constants": { "level": "-6 dB" }`, and `"$level"` wherever such a value
/// may be.
///
/// The text stays as it is written: a text that names a constant keeps its own place, and has the
/// value of the constant. A change of the constant changes all values that name it.
enum Constants {
  /// The name of the constant that a text names; `nil` for any other text.
  static func name(in text: String) -> String? {
    guard text.utf8.first == UInt8(ascii: "$") else { return nil }
    let name = text.dropFirst()
    return isName(name) ? String(name) : nil
  }

  /// Whether a text is an ASCII letter or an underscore, followed by letters, digits, underscores
  /// and hyphens.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first else { return false }
    func isLetter(_ byte: UInt8) -> Bool {
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
    }
    return isLetter(first)
      && text.utf8.allSatisfy {
        isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
  }
}

extension JSONValue {
  /// The name of the constant that a text such as `"$level"` names; `nil` for other values, and for
  /// a text whose constant has been resolved.
  public var constantName: String? { kind == .string ? string.flatMap(Constants.name) : nil }

  /// Whether a text can be the name of a constant.
  public static func isConstantName(_ text: String) -> Bool { Constants.isName(text) }
}

extension JSONTree {
  /// The same tree, in which a text that names a constant has the value of the constant. A text
  /// that names a constant that does not exist is reported, and becomes `invalid`.
  func resolvingConstants(to findings: inout Findings) -> JSONTree {
    let root = self.root
    guard root.kind == .object, hasTextWithDollar else { return self }
    let constants = root["constants"]
    var rows: [String: Int] = [:]
    for (key, value) in constants?.members ?? JSONValue.Members(base: root.elements) {
      guard let name = key.string, name != "comment", rows[name] == nil else { continue }
      rows[name] = value.index
    }
    var constantRows: [Int: Int] = [:]
    var unknown: [Int] = []
    // The texts of these members are never names of constants.
    let skipped: Set<String> = ["constants", "title", "$schema", "comment"]
    for (key, value) in root.members where !skipped.contains(key.string ?? "") {
      var row = value.index
      let end = Int(nodes[row].next)
      while row < end {
        let node = nodes[row]
        if beginsWithDollar(node, source.bytes),
          let name = JSONValue(tree: self, index: row).string.flatMap(Constants.name)
        {
          if let constant = rows[name] { constantRows[row] = constant } else { unknown.append(row) }
        }
        row += 1
        if node.isKey, node.kind == .string,
          isText(row - 1, "comment"),
          row < end
        {
          row = Int(nodes[row].next)
        }
      }
    }
    for row in unknown {
      let value = JSONValue(tree: self, index: row)
      findings.append(PatchRules.constant, at: value.range) {
        .unknownConstant(value, among: rows.keys.sorted())
      }
    }
    guard !constantRows.isEmpty || !unknown.isEmpty else { return self }
    var nodes = self.nodes
    for row in unknown { nodes[row].kind = .invalid }
    return JSONTree(source: source, nodes: nodes, base: base, constantRows: constantRows)
  }

  /// Whether a text begins as the name of a constant does. Most patches have none.
  private var hasTextWithDollar: Bool {
    let bytes = source.bytes
    return containsRow { beginsWithDollar($0, bytes) }
  }

  private func beginsWithDollar(_ node: Node, _ bytes: [UInt8]) -> Bool {
    guard node.kind == .string, !node.isKey else { return false }
    let first = Int(node.start) + Int(node.flags & 3)
    return first < bytes.count && bytes[first] == UInt8(ascii: "$")
  }
}

extension PatchReader {
  /// Reads the constants: numbers, texts, true or false, each with a name that can follow a `$`.
  mutating func constants(_ json: JSONValue) -> [PatchDocument.Field] {
    guard
      check(json, "'constants'", .object, help: "write { \"name\": value }: each under its name")
    else { return [] }
    var fields: [PatchDocument.Field] = []
    eachMember(of: json) { reader, key, name, value in
      guard Constants.isName(name) else {
        reader.diagnostics.append(.constantName(key, name))
        return
      }
      guard [.number, .string, .bool, .invalid].contains(value.kind) else {
        reader.reportType(value, "a constant", "a number, a text, true or false")
        return
      }
      fields.append(PatchDocument.Field(Located(name, at: key), value))
    }
    return fields
  }
}

// MARK: Wording

extension Diagnostic {
  fileprivate static func unknownConstant(
    _ json: JSONValue, among names: [String]
  ) -> Diagnostic {
    let text = json.string ?? ""
    let candidates = names.map { "$" + $0 }
    let help =
      names.isEmpty
      ? "the patch has none: \"constants\": { \"\(text.dropFirst())\": 0.5 } would be one"
      : "the constants are \(names.map(quoted).joined(separator: ", "))"
    return PatchRules.constant.diagnostic(
      "there is no constant \(Message(quoted(String(text.dropFirst()))))", at: json.range,
      pointer: json.pointer.description,
      label: didYouMean(text, among: candidates).map { Message($0) } ?? "unknown constant",
      help: [help], fixes: json.correction(of: text, among: candidates))
  }

  fileprivate static func constantName(_ key: JSONValue, _ name: String) -> Diagnostic {
    PatchRules.constant.diagnostic(
      "\(Message(quoted(name))) is no name of a constant", at: key.range,
      pointer: key.pointer.description, label: "nothing could name it",
      help: ["a name has letters, digits, '_' and '-', and begins with a letter or '_'"])
  }
}
