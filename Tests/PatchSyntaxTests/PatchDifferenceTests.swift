import Diagnostics
import PatchSyntax
import Testing

@Suite struct PatchDifferenceTests {
  private func tree(_ text: String) throws -> JSONTree {
    try #require(JSONReader.readStrictly(SourceText(name: "test.jsonc", text: text)).tree)
  }

  private func difference(_ old: String, _ new: String) throws -> PatchDifference {
    PatchDifference(from: try tree(old), to: try tree(new))
  }

  private let old = """
    {
      "title": "One",
      "callbacks": { "guitar": { "kind": "tone", "frequency": 440 } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "inputs": { "0": { "streamFormat": "stereo", "parameters": { "volume": 0.8 } } },
          "properties": { "maximumFramesPerSlice": 1024 }
        },
        "eq": { "component": "iPodEQ" },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "guitar", "to": "eq" },
        { "from": "eq", "to": "mixer:0" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

  @Test func `differences are said in the patch's terms, with their places`() throws {
    let new = """
      {
        "title": "Two",
        "callbacks": { "guitar": { "kind": "tone", "frequency": 220.0 } },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer",
            "inputs": {
              "0": { "streamFormat": "mono", "parameters": { "volume": 0.5, "pan": -1 } }
            }
          },
          "io": { "component": "remoteIO" },
          "out/2": { "component": { "type": "auou" } }
        },
        "connections": [ { "from": "guitar", "to": "mixer:0" }, { "to": "io", "from": "mixer" } ],
        "taps": { "rec": { "kind": "record" } }
      }
      """
    #expect(
      try difference(old, new).text == """
        ~ 'title': "One" -> "Two"  (/title)
        ~ 'frequency' of callback 'guitar': 440 -> 220.0  (/callbacks/guitar/frequency)
        - node 'eq': iPodEQ  (/nodes/eq)
        - property 'maximumFramesPerSlice' of 'mixer': 1024  (/nodes/mixer/properties/maximumFramesPerSlice)
        ~ stream format of 'mixer', input 0: "stereo" -> "mono"  (/nodes/mixer/inputs/0/streamFormat)
        ~ parameter 'volume' of 'mixer', input 0: 0.8 -> 0.5  (/nodes/mixer/inputs/0/parameters/volume)
        + parameter 'pan' of 'mixer', input 0: -1  (/nodes/mixer/inputs/0/parameters/pan)
        + node 'out/2': { "type": "auou" }  (/nodes/out~12)
        ~ connection guitar to eq -> guitar to mixer:0  (/connections/0)
        - connection eq to mixer:0  (/connections/1)
        + tap 'rec': { "kind": "record" }  (/taps/rec)

        """)
  }

  @Test func `the order of keys, blanks, comments and the spelling of values make no difference`()
    throws
  {
    let found = try difference(
      #"{ "a": 2, "b": ["é", -0] } // x"#, #"{"b":["\u00e9",0.0],"a":2e0,}"#)
    #expect(found.isEmpty)
    #expect(found.text.isEmpty)
    #expect(found.jsonPatch == "[]\n")
  }

  @Test func `strings are equal when their characters are, and numbers when their values are`()
    throws
  {
    // One é is a single scalar, the other is an e with a combining accent.
    #expect(try !difference(#"["\u00e9"]"#, #"["e\u0301"]"#).isEmpty)
    #expect(try !difference("1e400", "1e401").isEmpty)
    #expect(try !difference("true", "false").isEmpty)
    #expect(try !difference("null", "false").isEmpty)
  }

  @Test(arguments: ["{\"a\": 1, \"a\": 2}", "{", ""])
  func `what cannot be compared has diagnostics`(text: String) {
    let reading = JSONReader.readStrictly(SourceText(name: "a.json", text: text))
    #expect(reading.tree == nil)
    #expect(reading.diagnostics.hasErrors)
  }

  // MARK: As operations

  private func check(_ old: String, _ new: String) throws {
    let found = try difference(old, new)
    let operations = JSON(try tree(found.jsonPatch).root)
    let result = try operations.carriedOut(on: JSON(try tree(old).root))
    let wanted = JSON(try tree(new).root)
    #expect(result == wanted, "\(old)\n\(new)\n\(found.jsonPatch)")
    let made = try #require(found.apply(to: try tree(old)))
    #expect(JSON(try #require(JSONReader.readStrictly(made).tree).root) == wanted)
    #expect(found.isEmpty == (JSON(try tree(old).root) == wanted))
    #expect(found.changes.isEmpty == found.isEmpty)
  }

  @Test func `the operations turn the old document into the new one`() throws {
    try check(old, old)
    try check(old, "{}")
    try check("{}", old)
    try check("[1, 2, 3, 4]", "[0, 2, 4, 5]")
    try check(#"{ "a/b": { "~": [[1], {}] } }"#, #"{ "a/b": { "~": [[], { "": 1 }, 3] } }"#)
    try check("1", "[1]")
  }

  @Test func `the operations turn any document into any other`() throws {
    for seed in 1...1500 {
      var random = SmallDocument(seed: UInt64(seed))
      try check(random.value(depth: 0), random.value(depth: 0))
    }
  }

  @Test func `long arrays that share nothing are compared in bounded memory`() throws {
    let old = "[" + (0..<1500).map(String.init).joined(separator: ",") + "]"
    let new = "[" + (0..<1600).map { String(5000 - $0) }.joined(separator: ",") + "]"
    try check(old, new)
  }
}

/// A JSON value with a reference implementation of RFC 6902.
private indirect enum JSON: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string([UInt8])
  case array([JSON])
  case object([[UInt8]: JSON])

  struct Failure: Error {}

  init(_ value: JSONValue) {
    switch value.kind {
    case .null, .invalid: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .number: self = .number(value.number ?? 0)
    case .string: self = .string(Array((value.string ?? "").utf8))
    case .array: self = .array(value.elements.map(JSON.init))
    case .object:
      var members: [[UInt8]: JSON] = [:]
      for (key, value) in value.members { members[Array((key.string ?? "").utf8)] = JSON(value) }
      self = .object(members)
    }
  }

  /// The document after the operations in this array.
  func carriedOut(on document: JSON) throws -> JSON {
    guard case .array(let operations) = self else { throw Failure() }
    return try operations.reduce(document) { document, operation in
      guard case .object(let members) = operation,
        case .string(let name)? = members[Array("op".utf8)],
        case .string(let path)? = members[Array("path".utf8)],
        let pointer = JSONPointer(parsing: String(decoding: path, as: UTF8.self))
      else { throw Failure() }
      return try document.edited(
        pointer.tokens[...], String(decoding: name, as: UTF8.self), members[Array("value".utf8)])
    }
  }

  private func edited(_ tokens: ArraySlice<String>, _ name: String, _ value: JSON?) throws -> JSON {
    guard let token = tokens.first else {
      guard name != "remove", let value else { throw Failure() }
      return value
    }
    let isLast = tokens.count == 1
    switch self {
    case .object(var members):
      let key = Array(token.utf8)
      let isThere = members[key] != nil
      if !isLast {
        guard let inside = members[key] else { throw Failure() }
        members[key] = try inside.edited(tokens.dropFirst(), name, value)
      } else {
        guard isThere == (name != "add"), (value != nil) == (name != "remove") else {
          throw Failure()
        }
        members[key] = value
      }
      return .object(members)
    case .array(var elements):
      guard let index = Int(token), index < elements.count + (isLast && name == "add" ? 1 : 0)
      else { throw Failure() }
      switch name {
      case _ where !isLast:
        elements[index] = try elements[index].edited(tokens.dropFirst(), name, value)
      case "remove": elements.remove(at: index)
      case "add": elements.insert(try value.orThrow(), at: index)
      default: elements[index] = try value.orThrow()
      }
      return .array(elements)
    default: throw Failure()
    }
  }
}

extension JSON? {
  fileprivate func orThrow() throws -> JSON {
    guard let self else { throw JSON.Failure() }
    return self
  }
}

/// Random documents of few keys and values, so that two of them have much in common.
private struct SmallDocument {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  private mutating func random(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  mutating func value(depth: Int) -> String {
    let scalars = ["1", "1.0", "2", "true", "null", "\"a\"", "\"\\u0061\"", "\"\""]
    guard depth < 4, depth == 0 || random(2) == 0 else { return scalars[random(scalars.count)] }
    if random(2) == 0 {
      return "[" + (0..<random(6)).map { _ in value(depth: depth + 1) }.joined(separator: ",") + "]"
    }
    let keys = ["nodes", "connections", "a/b", "~", "", "inputs"].filter { _ in random(2) == 0 }
    return "{" + keys.map { "\"\($0)\": \(value(depth: depth + 1))" }.joined(separator: ",") + "}"
  }
}
