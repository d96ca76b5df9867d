import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderTaps
import TestSupport
import Testing

struct SchemaTests {
  @Test func `the schema in the package is the one that is printed`() throws {
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil {
      try PatchSchema.text().write(
        to: PrintedFiles.package.appending(path: "schema/patch.schema.json"), atomically: true,
        encoding: .utf8)
    }
    #expect(
      PrintedFiles.text(of: "schema/patch.schema.json") == PatchSchema.text(),
      "it is stale: swift run patchrun schema > schema/patch.schema.json")
  }

  @Test func `the schema is printed the same each time, with one line feed at its end`() {
    let text = PatchSchema.text()
    #expect(text == PatchSchema.text())
    #expect(text.hasSuffix("}\n") && !text.hasSuffix("\n\n"))
    #expect(!text.contains("\t") && !text.contains(" \n"))
  }

  @Test func `the schema is JSON by our own reader, no key twice`() {
    let result = JSONReader.read(
      SourceText(name: "patch.schema.json", bytes: Array(PatchSchema.text().utf8)),
      dialect: JSONReader.Dialect(fileName: "patch.schema.json"))
    #expect(result.diagnostics.isEmpty)
    PatchSchema.schema().walk { value in
      #expect(Set(value.members.map(\.name)).count == value.members.count)
    }
  }

  // MARK: Structure

  @Test func `every reference leads to a definition, and every definition is referred to`() throws {
    let schema = PatchSchema.schema()
    let definitions = Set(schema["definitions"]?.members.map(\.name) ?? [])
    var referred: Set<String> = []
    schema.walk { value in
      guard case .string(let target)? = value["$ref"] else { return }
      #expect(target.hasPrefix("#/definitions/"))
      // In draft-07, members beside a reference are ignored.
      #expect(value.members.count == 1)
      let path = target.dropFirst("#/definitions/".count).split(separator: "/").map(String.init)
      #expect(
        path.reduce(schema["definitions"]) { $0?[$1] } != nil, "\(target) leads nowhere")
      referred.insert(path[0])
    }
    #expect(referred == definitions)
  }

  @Test func `an object whose keys are known refuses others and allows a comment`() {
    PatchSchema.schema().walk { value in
      guard value["additionalProperties"] == false else { return }
      #expect(
        value["properties"]?["comment"] != nil, "\(value["description"] ?? .null)")
    }
  }

  @Test func `an enumeration describes all of its values or none`() {
    PatchSchema.schema().walk { value in
      guard case .array(let descriptions)? = value["enumDescriptions"] else { return }
      guard case .array(let values)? = value["enum"] else {
        Issue.record("descriptions without an enumeration")
        return
      }
      #expect(values.count == descriptions.count)
    }
  }

  @Test func `a mixer's input offers volume, enable and pan with ranges and defaults`() throws {
    let input = try #require(PatchSchema.schema()["definitions"]?["input.MultichannelMixer"])
    let parameters = try #require(input["properties"]?["parameters"]?["properties"])
    let offered = parameters.members.map(\.name)
    #expect(Array(offered.prefix(3)) == ["volume", "enable", "pan"])
    let described = MultichannelMixer.description.parameters(in: .input)
    #expect(offered == described.filter { !$0.isReadOnly }.map(\.key) + ["comment"])
    #expect(parameters["pan"]?["minimum"] == -1)
    #expect(parameters["pan"]?["maximum"] == 1)
    #expect(parameters["volume"]?["default"] == 1)
    // A volume above 1 is a warning only.
    #expect(parameters["volume"]?["maximum"] == nil)
    #expect(
      input["properties"]?["properties"]?["properties"]?["meteringMode"]?["type"]
        == ["boolean", "string"])
    // The valid texts: numbers with a unit, names of constants, and formulas of repetitions.
    #expect(
      parameters["volume"]?["pattern"]
        == "^[+-]?[0-9]+(\\.[0-9]+)? ?dB$|^\\$[A-Za-z_][A-Za-z0-9_-]*$|\\{[^{}]+\\}")
  }

  @Test func `every setting of each callback and tap is offered`() {
    let definitions = PatchSchema.schema()["definitions"]
    let kinds =
      CallbackCatalog.standard.map { ("callback.\($0.kind)", $0.settings) }
      + TapCatalog.ofPatches.kinds.map { ("tap.\($0.kind)", $0.settings) }
    for (name, settings) in kinds {
      for setting in settings {
        let value = definitions?[name]?["properties"]?[setting.key]
        #expect(value != nil, "\(name) lacks \(setting.key)")
        #expect((value?["default"] != nil) == (setting.defaultValue != nil))
      }
    }
  }

  // MARK: JSON text

  @Test func `JSON text keeps the order of members and escapes what strings may not hold`() {
    let value: JSONText = [
      "z": 1, "a": ["one", 2, 0.5], "e": [:], "n": [], "t": "a\"\\\n\u{1}é",
      "o": ["x": [["y": true]]],
    ]
    #expect(
      value.document == """
        {
          "z": 1,
          "a": ["one", 2, 0.5],
          "e": {},
          "n": [],
          "t": "a\\"\\\\\\n\\u0001é",
          "o": {
            "x": [
              {
                "y": true
              }
            ]
          }
        }

        """)
  }

  @Test func `a long array takes a line for each value`() {
    let long = String(repeating: "x", count: 60)
    #expect(
      JSONText.array([.string(long), .string(long)]).document
        == "[\n  \"\(long)\",\n  \"\(long)\"\n]\n")
  }

  // MARK: Validation by PyPI's jsonschema

  @Test(
    .enabled(if: JSONSchemaOracle.isThere, "python3 with the package jsonschema is not there"))
  func `the schema is valid, and accepts and refuses what patchrun does`() throws {
    var patches: [(name: String, text: String, isAccepted: Bool)] = []
    for patch in Self.accepted { patches.append((patch, patch, true)) }
    for patch in Self.refused { patches.append((patch, patch, false)) }
    let folder = PrintedFiles.package.appending(path: "patches")
    for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    where file.hasSuffix(".json") && !file.hasSuffix(".test.json") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      patches.append((file, text, true))
    }
    let verdicts = try JSONSchemaOracle.verdicts(
      schema: PatchSchema.text(), documents: patches.map(\.text))
    #expect(verdicts.count == patches.count)
    for (patch, isAccepted) in zip(patches, verdicts) {
      #expect(isAccepted == patch.isAccepted, "\(patch.name)")
    }
  }

  @Test(arguments: accepted)
  func `what the schema accepts the reader accepts`(patch: String) {
    let result = PatchReader.read(bytes: Array(patch.utf8), name: "patch.json")
    #expect(result.diagnostics.isEmpty)
  }

  /// The codes of all errors in a patch.
  private static func errorCodes(_ patch: String) -> Set<String> {
    let built = PatchBuilder.build(patch)
    return Set(built.diagnostics.filter { $0.severity == .error }.map(\.code.rawValue))
  }

  /// These patches have one or two nodes, so each lacks connections. Only other errors count.
  @Test(arguments: refused)
  func `what the schema refuses patchrun refuses`(patch: String) {
    let bare = Self.errorCodes(Self.node("\"component\": \"remoteIO\""))
      .union(Self.errorCodes(Self.node("\"component\": \"mcmx\"")))
      .union(Self.errorCodes(Self.node("\"component\": \"iPodEQ\"")))
    #expect(!Self.errorCodes(patch).subtracting(bare).isEmpty)
  }

  /// A patch with one node.
  private static func node(_ members: String) -> String {
    "{ \"nodes\": { \"a\": { \(members) } } }"
  }

  private static func with(_ members: String) -> String {
    "{ \"nodes\": { \"io\": { \"component\": \"remoteIO\" } }, \(members) }"
  }

  private static func update(_ operation: String) -> String {
    with("\"timeline\": [ { \"at\": 1, \"update\": [ \(operation) ] } ]")
  }

  static let accepted: [String] = [
    with(
      """
      "$schema": "../schema/patch.schema.json", "schemaVersion": 1, "title": "t", "comment": "c",
      "session": { "category": "playAndRecord", "preferredSampleRate": 48000,
        "preferredIOBufferDuration": 0.005, "comment": ["a", "b"] },
      "streamFormats": { "s": { "sample": "fixed8.24", "channels": 1, "sampleRate": "session" },
        "comment": "c" },
      "streamFormat": "s", "connections": [ { "from": "io:1", "to": "io:0", "comment": "c" } ],
      "taps": { "t": { "kind": "record", "at": "io:1", "path": "x.wav", "quality": 0.5 } },
      "callbacks": { "f": { "kind": "file", "path": "x.wav", "loop": true, "comment": "c" },
        "n": { "kind": "noise", "color": "pink", "seed": 7.0 }, "s": { "kind": "silence" } },
      "timeline": [ { "at": 2, "stop": true } ]
      """),
    with(
      """
      "callbacks": { "g": { "kind": "gain", "gain": -1, "from": "io:1" },
        "r": { "kind": "ringModulator", "from": "g", "mix": 0, "comment": "c" },
        "x": { "kind": "expression", "value": "k * sin(time)",
          "constants": { "k": 1, "comment": "c" } },
        "y": { "kind": "expression", "value": "input", "from": "t" },
        "c": { "kind": "convolution", "path": "x.wav", "from": "y" },
        "s": { "kind": "sweep", "from": 20 }, "t": { "kind": "tremolo", "from": "s" } },
      "connections": [ { "from": "r", "to": "io:0" } ]
      """),
    with(
      """
      "tempo": 90.5, "timeline": [
        { "at": { "frames": 10, "comment": "c" }, "stop": false },
        { "at": { "beats": 1.5 }, "ramp": { "path": "/nodes/io/parameters/x", "to": 1,
          "duration": { "frames": 10 }, "curve": "linear" } },
        { "at": 1, "update": [] },
        { "at": 1, "update": [
          { "op": "add", "path": "/a", "value": null, "comment": "c" },
          { "op": "remove", "path": "/a~0/~1/" }, { "op": "replace", "path": "", "value": {} },
          { "op": "move", "path": "/a", "from": "/b" }, { "op": "copy", "path": "/a", "from": "/b" },
          { "op": "test", "path": "/a", "value": [] } ] } ]
      """),
    with("\"streamFormat\": { \"sample\": \"int24\", \"channels\": 2, \"sampleRate\": 44100 }"),
    with(
      """
      "streamFormat": { "mSampleRate": 44100, "mFormatID": "lpcm", "mFormatFlags": 3116,
        "mBytesPerPacket": 4, "mFramesPerPacket": 1, "mBytesPerFrame": 4, "mChannelsPerFrame": 2,
        "mBitsPerChannel": 32, "comment": "c" }
      """),
    with("\"streamFormat\": { \"mFormatFlags\": [\"kAudioFormatFlagIsFloat\", 8] }"),
    node("\"component\": \"MultichannelMixer\", \"inputs\": { \"9\": {} }, \"inputCount\": 10"),
    node(
      """
      "component": "mcmx", "comment": "c", "outputs": { "0": { "sampleRate": "session" } },
      "inputs": { "comment": "c", "0": { "parameters": { "volume": 2, "pan": -0.5, "enable": 0,
        "comment": "c" }, "properties": { "meteringMode": true, "elementName": "guitar" } } }
      """),
    node("\"component\": \"kAudioUnitSubType_RemoteIO\""),
    node("\"component\": \"aufx/ipeq/appl\", \"properties\": { \"presentPreset\": \"Rock\" }"),
    node("\"component\": \"aufx ipeq appl\", \"properties\": { \"presentPreset\": 22 }"),
    node(
      """
      "component": { "type": "aumx", "subtype": "mcmx", "manufacturer": "appl", "flags": 0,
        "flagsMask": 0, "comment": "c" }
      """),
    node("\"component\": { \"type\": 0, \"subtype\": \"ipeq\", \"manufacturer\": 0 }"),
    node(
      "\"component\": \"NBandEQ\", \"bands\": [{ \"type\": \"lowShelf\" }, { \"bypass\": true }]"),
    node(
      "\"component\": \"nbeq\", \"bands\": [{ \"frequency\": 20, \"gain\": -96, \"type\": 10 }]"),
    node("\"component\": { \"subtype\": \"rioc\" }"),
    node("\"component\": { \"type\": 1635083896 }"),
    node(
      """
      "component": { "type": "kAudioUnitType_Effect", "subtype": "ipeq" },
      "properties": { "kAudioUnitProperty_PresentPreset": "Rock" }
      """),
    node(
      """
      "component": "remoteIO", "inputs": { "1": { "properties": { "enableIO": true } } },
      "outputs": { "0": { "properties": { "enableIO": false } }, "1": { "streamFormat": "s" } }
      """),
    node(
      """
      "component": "GenericOutput",
      "properties": { "offlineRender": true, "maximumFramesPerSlice": 4096 }
      """),
    node("\"subgraph\": \"strip.json\""),
  ]

  static let refused: [String] = [
    "{}", "[]", "{ \"nodes\": {} }", "{ \"nodes\": { \"comment\": \"c\" } }",
    with("\"sesion\": {}"),
    with("\"schemaVersion\": 2"),
    with("\"comment\": 1"),
    with("\"session\": { \"category\": \"Playback\" }"),
    with("\"session\": { \"preferredSampleRate\": 0 }"),
    with("\"streamFormat\": {}"),
    with("\"streamFormat\": { \"mFormatID\": \"pcm\" }"),
    with("\"streamFormat\": { \"mFormatFlags\": \"isFloat\" }"),
    with("\"streamFormat\": { \"sample\": \"float\", \"channels\": 2, \"sampleRate\": 44100 }"),
    with("\"streamFormat\": { \"sample\": \"float32\", \"channels\": 0, \"sampleRate\": 44100 }"),
    with("\"streamFormat\": { \"sample\": \"float32\", \"mSampleRate\": 44100 }"),
    with("\"streamFormats\": { \"s\": \"t\" }"),
    with("\"connections\": [ { \"from\": \"io\" } ]"),
    with("\"connections\": [ { \"from\": \"io:01\", \"to\": \"io\" } ]"),
    with("\"connections\": [ { \"from\": \":1\", \"to\": \"io\" } ]"),
    with("\"callbacks\": { \"a:b\": { \"kind\": \"silence\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"tome\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"file\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"tone\", \"frequenzy\": 1 } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"tone\", \"amplitude\": 9 } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"sweep\", \"duration\": 0 } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"noise\", \"seed\": 0.5 } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"gain\", \"gain\": 1 } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"gain\", \"gain\": 1, \"from\": 1 } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"gain\", \"gain\": 1, \"from\": \"io:\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"gain\", \"from\": \"io:1\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"tone\", \"from\": \"io:1\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"sweep\", \"from\": \"io:1\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"expression\" } }"),
    with("\"callbacks\": { \"a\": { \"kind\": \"expression\", \"value\": \"\" } }"),
    with(
      "\"callbacks\": { \"a\": { \"kind\": \"expression\", \"value\": \"k\","
        + " \"constants\": { \"k\": \"1\" } } }"),
    with(
      "\"callbacks\": { \"a\": { \"kind\": \"expression\", \"value\": \"1\","
        + " \"constants\": { \"2k\": 1 } } }"),
    with("\"taps\": { \"t\": { \"kind\": \"record\", \"path\": \"x.wav\" } }"),
    with("\"taps\": { \"t\": { \"kind\": \"record\", \"at\": \"io\" } }"),
    with("\"timeline\": {}"),
    with("\"tempo\": 0"),
    with("\"timeline\": [ { \"at\": { \"frames\": 1, \"beats\": 1 }, \"stop\": true } ]"),
    with("\"timeline\": [ { \"at\": {}, \"stop\": true } ]"),
    with("\"timeline\": [ { \"at\": \"1\", \"stop\": true } ]"),
    with("\"timeline\": [ { \"at\": { \"frames\": -1 }, \"stop\": true } ]"),
    with("\"timeline\": [ { \"at\": 1, \"update\": {} } ]"),
    update("{}"),
    update("{ \"op\": \"put\", \"path\": \"\" }"),
    update("{ \"op\": \"add\", \"path\": \"/a\" }"),
    update("{ \"op\": \"move\", \"path\": \"/a\" }"),
    update("{ \"op\": \"remove\", \"path\": \"a\" }"),
    update("{ \"op\": \"remove\", \"path\": \"/~2\" }"),
    update("{ \"op\": \"remove\", \"path\": \"/a\", \"x\": 1 }"),
    with(
      "\"timeline\": [ { \"at\": 1, \"ramp\": { \"path\": \"/nodes/io/parameters/x\", \"to\": 1,"
        + " \"curve\": \"log\" } } ]"),
    node(""), node("\"component\": \"MultiMixer\""),
    node("\"component\": \"remoteIO\", \"subgraph\": \"strip.json\""),
    node("\"component\": { \"types\": \"aumx\" }"),
    node("\"component\": \"NBandEQ\", \"bands\": []"),
    node("\"component\": \"NBandEQ\", \"bands\": [{ \"type\": \"lowshelf\" }]"),
    node("\"component\": \"NBandEQ\", \"bands\": [{ \"q\": 1 }]"),
    node("\"component\": \"NBandEQ\", \"bands\": [{ \"gain\": 25 }]"),
    node("\"component\": \"NBandEQ\", \"bands\": { \"0\": {} }"),
    node("\"component\": \"iPodEQ\", \"bands\": [{}]"),
    node("\"component\": { \"subtype\": \"mixer\" }"),
    node("\"component\": { \"subtype\": \"mcmx\", \"flags\": 1 }"),
    node("\"component\": \"voiceProcesingIO\""),
    node("\"component\": \"mcmx\", \"inputs\": { \"00\": {} }"),
    node("\"component\": \"mcmx\", \"inputs\": { \"0\": { \"parameters\": { \"volum\": 1 } } }"),
    node("\"component\": \"mcmx\", \"inputs\": { \"0\": { \"parameters\": { \"pan\": 1.5 } } }"),
    node("\"component\": \"mcmx\", \"inputs\": { \"0\": { \"parameters\": { \"pan\": \"l\" } } }"),
    node("\"component\": \"mcmx\", \"outputs\": { \"0\": { \"parameters\": { \"pan\": 0 } } }"),
    node("\"component\": \"mcmx\", \"outputs\": { \"1\": {} }"),
    node("\"component\": \"mcmx\", \"inputCount\": 0"),
    node("\"component\": \"mcmx\", \"properties\": { \"presentPreset\": 1 }"),
    node(
      "\"component\": { \"subtype\": \"mcmx\" }, \"properties\": { \"presentPreset\": 1 }"),
    node("\"component\": \"iPodEQ\", \"properties\": { \"presentPreset\": \"rock\" }"),
    node("\"component\": \"iPodEQ\", \"properties\": { \"presentPreset\": 23 }"),
    node("\"component\": \"iPodEQ\", \"inputCount\": 2"),
    node(
      """
      "component": { "type": "kAudioUnitType_Effect", "subtype": "ipeq" },
      "properties": { "kAudioUnitProperty_PresentPreset": "Rick" }
      """),
    node(
      "\"component\": { \"type\": \"aufx\", \"subtype\": \"ipeq\" }, \"properties\": { \"presentPreset\": 23 }"
    ),
    node("\"component\": \"rioc\", \"properties\": { \"maximumFramesPerSlice\": 0 }"),
    node(
      "\"component\": \"rioc\", \"inputs\": { \"0\": { \"properties\": { \"enableIO\": true } } }"),
  ]
}

extension JSONText {
  fileprivate subscript(name: String) -> JSONText? {
    members.first { $0.name == name }?.value
  }

  fileprivate func walk(_ visit: (JSONText) -> Void) {
    visit(self)
    switch self {
    case .object(let members): for member in members { member.value.walk(visit) }
    case .array(let values): for value in values { value.walk(visit) }
    default: break
    }
  }
}

/// PyPI's jsonschema, run by python3.
enum JSONSchemaOracle {
  static let isThere = (try? run("import jsonschema", [])) == 0

  /// Whether the schema accepts each document. The schema itself is checked first.
  static func verdicts(schema: String, documents: [String]) throws -> [Bool] {
    let folder = try TemporaryFolder()
    try folder.write(schema, to: "schema.json")
    for (index, document) in documents.enumerated() {
      try folder.write(document, to: "\(index).json")
    }
    let script = """
      import json, sys
      from jsonschema import Draft7Validator
      folder, count = sys.argv[1], int(sys.argv[2])
      schema = json.load(open(folder + "/schema.json", encoding="utf-8"))
      Draft7Validator.check_schema(schema)
      validator = Draft7Validator(schema)
      for index in range(count):
          document = json.load(open(f"{folder}/{index}.json", encoding="utf-8"))
          print(1 if validator.is_valid(document) else 0)
      """
    let output = folder.path("output")
    let errors = folder.path("errors")
    let status = try run(script, [folder.path, "\(documents.count)"], output, errors)
    #expect(status == 0, "\((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")")
    return try String(contentsOfFile: output, encoding: .utf8)
      .split(separator: "\n").map { $0 == "1" }
  }

  private static func run(
    _ script: String, _ arguments: [String], _ output: String = "/dev/null",
    _ errors: String = "/dev/null"
  ) throws -> Int32 {
    try ChildProcess(
      "/usr/bin/env", ["python3", "-c", script] + arguments,
      environment: ProcessInfo.processInfo.environment, output: output, errors: errors
    ).wait()
  }
}
