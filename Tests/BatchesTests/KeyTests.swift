import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

@testable import Batches

/// A key depends on the rendered result only: 100 ways to write the same job, and 100 different
/// jobs.
struct KeyTests {
  /// The members of every object in another order.
  static func shuffled(_ value: JSONText, _ seed: inout SystemNumbers) -> JSONText {
    switch value {
    case .object(let members):
      var members = members.map { JSONText.Member($0.name, shuffled($0.value, &seed)) }
      members.shuffle(using: &seed)
      return .object(members)
    case .array(let values):
      var shuffledValues: [JSONText] = []
      for value in values { shuffledValues.append(shuffled(value, &seed)) }
      return .array(shuffledValues)
    default: return value
    }
  }

  /// A random sequence that is the same in every run.
  struct SystemNumbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  static func parsed(_ text: String) throws -> JSONText {
    let tree = JSONReader.read(SourceText(name: "a.json", text: text), dialect: .json).tree
    return JSONText(try #require(tree?.root))
  }

  @Test(arguments: 0..<40)
  func `the order of members and the layout of the text do not count`(seed: Int) throws {
    let folder = try BatchFolder()
    let plain = try folder.key()
    var numbers = SystemNumbers(state: UInt64(seed))
    let shuffled = Self.shuffled(try Self.parsed(BatchFolder.patch), &numbers)
    try folder.write(seed % 2 == 0 ? shuffled.compact : shuffled.document, to: "mix.json")
    #expect(try folder.key() == plain)
  }

  @Test(arguments: 0..<30)
  func `comments do not count, wherever they are`(number: Int) throws {
    let folder = try BatchFolder()
    let plain = try folder.key()
    let lines = BatchFolder.patch.split(separator: "\n", omittingEmptySubsequences: false)
    var commented = lines.map(String.init)
    if number < lines.count { commented[number] += " // said at line \(number)" }
    commented.insert("/* for \(number) reasons */", at: number % lines.count)
    try folder.write(commented.joined(separator: "\n"), to: "mix.jsonc")
    #expect(
      try folder.key(BatchFolder.line.replacingOccurrences(of: "mix.json", with: "mix.jsonc"))
        == plain)
    let text = BatchFolder.patch.replacingOccurrences(
      of: "\"kind\": \"file\"", with: "\"comment\": \"\(number)\", \"kind\": \"file\"")
    try folder.write(text, to: "mix.json")
    #expect(try folder.key() == plain)
  }

  @Test(arguments: 0..<15)
  func `where the files are does not count`(number: Int) throws {
    let folder = try BatchFolder()
    let plain = try folder.key()
    let name = "audio/\(number)/take \(number).wav"
    try folder.sound(name)
    try folder.write(
      BatchFolder.patch.replacingOccurrences(of: "in.wav", with: name), to: "mix.json")
    #expect(try folder.key() == plain)
    let line =
      #"{"id":"\#(number)","patch":"mix.json","inputs":{"/callbacks/music/path":"\#(name)"},"#
      + #""duration":0.1,"output":"elsewhere/\#(number).wav"}"#
    #expect(try folder.key(line) == plain)
    let other = line.replacingOccurrences(of: name, with: "in.wav")
      .replacingOccurrences(of: "elsewhere", with: "here")
    #expect(try folder.key(line) == folder.key(other))
  }

  @Test(arguments: [
    "\"level\": \"-6 dB\"|\"level\": 0.5011872336272842",
    "\"level\": \"-6 dB\"|\"level\": \"-6.0 dB\"", "\"$level\"|\"-6 dB\"",
    "\"frequency\": 440|\"frequency\": 4.4e2", "\"pan\": 0.25|\"pan\": 25e-2",
    "\"title\": \"A file, softer\",|", "\"A file, softer\"|\"Another title\"",
    "\"constants\"|\"schemaVersion\": 1, \"constants\"", "\"mixer\" },\n|\"mixer:1\" },\n",
    "44100 }|44.1e3 }", "\"to\": \"io\"|\"to\": \"io:0\"",
    "\"from\": \"mixer\"|\"from\": \"mixer:0\"",
    "\"inputCount\": 2|\"inputCount\": 2.0", "\"amplitude\": 0.1|\"amplitude\": 0.10",
    "\"streamFormat\": {|\"streamFormat\": { \"comment\": \"CD\",",
  ])
  func `what is written in another way and means the same does not count`(change: String) throws {
    let parts = change.components(separatedBy: "|")
    let folder = try BatchFolder()
    let plain = try folder.key()
    try folder.write(
      BatchFolder.patch.replacingOccurrences(of: parts[0], with: parts[1]), to: "mix.json")
    #expect(try folder.key() == plain)
  }

  @Test func `all that changes a sample counts, and no two of them are alike`() throws {
    let folder = try BatchFolder()
    var keys: [String: String] = [try folder.key(): "plain"]
    func add(_ what: String, _ key: String) {
      #expect(keys[key] == nil, "\(what) is the same as \(keys[key] ?? "")")
      keys[key] = what
    }
    for (number, gain) in stride(from: -30.0, to: 0, by: 1).enumerated() where gain != -6 {
      try folder.write(
        BatchFolder.patch.replacingOccurrences(of: "-6 dB", with: "\(gain) dB"), to: "mix.json")
      add("gain \(number)", try folder.key())
    }
    try folder.write(BatchFolder.patch, to: "mix.json")
    for setting in 1...20 {
      let pan = Double(setting) / 40
      guard pan != 0.25 else { continue }
      let line = BatchFolder.line.replacingOccurrences(
        of: "\"duration\"",
        with: "\"settings\":{\"/nodes/mixer/inputs/0/parameters/pan\":\(pan)},\"duration\"")
      add("pan \(pan)", try folder.key(line))
    }
    let original = try folder.bytes("in.wav")
    for place in 0..<30 {
      var bytes = original
      bytes[bytes.count - 1 - 97 * place] ^= 1
      try Data(bytes).write(to: folder.url.appendingPathComponent("in.wav"))
      add("byte \(place)", try folder.key())
    }
    try Data(original).write(to: folder.url.appendingPathComponent("in.wav"))
    for version in 2...6 {
      var context = folder.context
      context.version = "\(version)"
      add("version \(version)", try folder.key(BatchFolder.line, context))
    }
    for kernel in ["avx2", "avx512", "neon"] {
      var context = folder.context
      context.kernel = kernel
      add(kernel, try folder.key(BatchFolder.line, context))
    }
    for ending in ["flac", "aiff", "ogg", "caf"] {
      add(
        ending,
        try folder.key(BatchFolder.line.replacingOccurrences(of: ".wav", with: "." + ending)))
    }
    for member in [
      "\"format\":\"int16\"", "\"format\":\"int24\"", "\"quality\":0.5",
      "\"normalize\":{\"integratedLoudness\":-23}", "\"normalize\":{\"integratedLoudness\":-16}",
      "\"normalize\":{\"integratedLoudness\":-16,\"truePeakAtMost\":-2}",
      "\"measure\":[\"rms\"]",
    ] {
      add(member, try folder.key(String(BatchFolder.line.dropLast()) + ",\(member)}"))
    }
    for duration in [0.05, 0.2, 0.3] {
      add(
        "\(duration) s",
        try folder.key(BatchFolder.line.replacingOccurrences(of: "0.1,", with: "\(duration),")))
    }
    #expect(keys.count > 100)
  }

  @Test func `a key is the same whether or not the patch has been met before`() throws {
    let folder = try BatchFolder()
    for number in 0..<5 { try folder.sound("\(number).wav", frequency: 200 + 50 * Double(number)) }
    let cache = PatchCache(limits: .standard)
    for number in 0..<5 {
      let line =
        #"{"id":"1","patch":"mix.json","inputs":{"/callbacks/music/path":"\#(number).wav"},"#
        + #""duration":0.1,"output":"1.wav"}"#
      let known = try folder.prepared(line, nil, cache).key.digest
      #expect(known == (try folder.prepared(line).key.digest))
    }
  }

  @Test func `a patch that is in another one counts, and its layout does not`() throws {
    let folder = try BatchFolder()
    let strip = """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "in": { "kind": "input", "bus": 0 } },
        "nodes": {
          "eq": {
            "component": "LowPassFilter", "properties": { "maximumFramesPerSlice": 4096 },
            "parameters": { "cutoffFrequency": 1000 }
          },
          "out": { "component": "GenericOutput" }
        },
        "connections": [ { "from": "in", "to": "eq" }, { "from": "eq", "to": "out" } ]
      }
      """
    try folder.write(strip, to: "strip.json")
    let patch = BatchFolder.patch
      .replacingOccurrences(
        of: "\"io\": {", with: "\"strip\": { \"subgraph\": \"strip.json\" }, \"io\": {"
      )
      .replacingOccurrences(
        of: "{ \"from\": \"mixer\", \"to\": \"io\" }",
        with: "{ \"from\": \"mixer\", \"to\": \"strip\" }, { \"from\": \"strip\", \"to\": \"io\" }")
    try folder.write(patch, to: "mix.json")
    let first: (job: PreparedJob, key: PreparedJob.Key)
    do { first = try folder.prepared(BatchFolder.line) } catch {
      Issue.record("\(error)")
      return
    }
    #expect(first.key.reads.contains { $0.path.hasSuffix("strip.json") })
    try folder.write(try Self.parsed(strip).compact, to: "strip.json")
    #expect(try folder.key() == first.key.digest.description)
    try folder.write(strip.replacingOccurrences(of: "1000", with: "1001"), to: "strip.json")
    #expect(try folder.key() != first.key.digest.description)
  }
}
