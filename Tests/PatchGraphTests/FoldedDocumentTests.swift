import AudioGraphs
import Diagnostics
import Foundation
import PatchSyntax
import RenderHost
import Testing

@testable import PatchGraph

/// The document of a playing patch is parsed when it changes, not each time that a client asks for
/// it.
@Suite struct FoldedDocumentTests {
  private static let text = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "a": { "kind": "tone" }, "b": { "kind": "noise" } },
      "nodes": {
        "mixer": { "component": "MultichannelMixer", "inputs": { "0": {}, "1": {} } },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "a", "to": "mixer:0" }, { "from": "b", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ],
      "timeline": [
        { "at": 0.1, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0.5, "duration": 0.1 } },
        { "at": 0.3, "ramp": { "path": "/nodes/mixer/inputs/1/parameters/volume", "to": 0.25 } },
        { "at": 0.3, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0.125 } },
        { "at": 0.4, "update": [ { "op": "add", "path": "/title", "value": "later" } ] },
        { "at": 0.5, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/pan", "to": 1, "duration": 9 } }
      ]
    }
    """

  private func play(_ text: String = text) throws -> LivePatch {
    let reading = PatchReader.read(SourceText(name: "live.json", text: text))
    var assumption = HardwareAssumption()
    assumption.sampleRate = 48_000
    let patch = PatchBuilder.build(reading, hardware: assumption)
    let live = try #require(LivePatch(patch, from: reading, directory: ""))
    try live.graph.initialize()
    try live.planUpdates(upTo: .infinity)
    return live
  }

  private func pull(_ live: LivePatch, until seconds: Double) throws {
    let session = try #require(live.graph.session)
    let frames = Int(seconds * 48_000) - session.nextFrame
    _ = OfflineDevice(live.graph.grant).run(
      session, frameCount: frames, services: live.graph.services)
    #expect(abs(live.now - seconds) < 1e-6)
  }

  private func value(_ live: LivePatch, _ pointer: String) -> Double? {
    JSONPointer(parsing: pointer).flatMap { live.reading.document?.root[$0]?.number }
  }

  @Test func `a document is folded once for each time that a step has passed`() throws {
    let live = try play()
    let volume = "/nodes/mixer/inputs/0/parameters/volume"
    var numbers: [Int] = []
    for (time, folds, steps, expected) in [
      (0.05, 0, 5, nil), (0.15, 0, 5, nil), (0.25, 1, 4, 0.5), (0.35, 2, 2, 0.125),
      (0.45, 3, 1, 0.125), (0.6, 3, 1, 0.125),
    ] as [(Double, Int, Int, Double?)] {
      try pull(live, until: time)
      for _ in 0..<50 {
        #expect(value(live, volume) == expected)
        #expect(live.reading.document?.timeline.count == steps)
        _ = live.controls
        _ = live.present
        _ = live.reference
      }
      #expect(live.foldCount == folds)
      numbers.append(live.revision.number)
    }
    #expect(live.reading.document?.title?.value == "later")
    #expect(value(live, "/nodes/mixer/inputs/1/parameters/volume") == 0.25)
    #expect(!live.reading.hasErrors)
    // The number changes if and only if the text changes.
    #expect(numbers[0] == numbers[1] && numbers[4] == numbers[5])
    #expect(Set(numbers).count == 4)
    // The same object, not an equal one.
    let one = live.reading.document?.root.tree
    #expect(one != nil && one === live.reading.document?.root.tree)
  }

  @Test func `another document has another number, and is not folded for nothing`() throws {
    let live = try play()
    try pull(live, until: 0.35)
    let before = live.revision
    #expect(live.foldCount == 1)
    let text = String(decoding: before.reading.source.bytes, as: UTF8.self)
      .replacingOccurrences(of: "\"noise\"", with: "\"silence\"")
    let changes = try live.play(PatchReader.read(SourceText(name: "live.json", text: text)))
    #expect(!changes.isEmpty)
    let after = live.revision
    #expect(after.number != before.number)
    #expect(after.reading.source.bytes == Array(text.utf8))
    #expect(live.foldCount == 1)
  }

  @Test func `many ramps that are over are one reading`() throws {
    let ramps = (0..<200).map { number in
      #"{ "at": 0.0\#(number % 9), "ramp": { "path": "/nodes/mixer/inputs/\#(number % 2)/parameters/volume", "to": 0.\#(100 + number) } }"#
    }
    let start = try #require(Self.text.range(of: "\"timeline\": ["))
    let text = Self.text[..<start.upperBound] + ramps.joined(separator: ",") + "] }"
    let live = try play(String(text))
    try pull(live, until: 0.2)
    #expect(live.reading.document?.timeline.isEmpty == true)
    #expect(live.foldCount == 1)
    // Of changes at the same time, the last one written counts.
    #expect(value(live, "/nodes/mixer/inputs/0/parameters/volume") == 0.288)
    #expect(value(live, "/nodes/mixer/inputs/1/parameters/volume") == 0.297)
  }

  // MARK: Limits

  private func changed(_ live: LivePatch, _ old: String, _ new: String) -> PatchReader.Result {
    let text = String(decoding: live.reading.source.bytes, as: UTF8.self)
    #expect(text.contains(old))
    return PatchReader.read(
      SourceText(name: "live.json", text: text.replacingOccurrences(of: old, with: new)))
  }

  private static let plain = """
    {
      "limits": { "outputPeak": "-6 dB" },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": {
        "a": { "kind": "tone" }, "soft": { "kind": "gain", "from": "a", "gain": 1 }
      },
      "nodes": {
        "mixer": { "component": "MultichannelMixer", "inputs": { "0": { "parameters": { "volume": 1 } } } },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "soft", "to": "mixer" }, { "from": "mixer", "to": "io" } ]
    }
    """

  @Test func `a limit of the output holds, changes without a restart, and goes`() throws {
    let live = try play(Self.plain)
    let session = try #require(live.graph.session)
    #expect(abs((session.outputPeakLimit ?? 0) - 0.501187) < 1e-6)
    try live.play(changed(live, #""volume": 1"#, #""volume": 1000"#))
    var greatest: Float = 0
    _ = OfflineDevice(live.graph.grant).run(
      session, frameCount: 48_000,
      sink: { bytes in
        let samples = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
        greatest = samples.reduce(greatest) { max($0, $1.magnitude) }
      })
    #expect(greatest <= 0.501187234 && greatest > 0.5)
    let changes = try live.play(changed(live, "-6 dB", "-12 dB"))
    #expect(
      changes.map(\.text) == ["the output is limited to -12 dBFS, and was limited to -6 dBFS"])
    #expect(changes.map(\.heard) == [.ramp])
    #expect(live.graph.session === session)
    #expect(abs((session.outputPeakLimit ?? 0) - 0.251188) < 1e-6)
    try live.play(changed(live, #""outputPeak": "-12 dB""#, ""))
    #expect(session.outputPeakLimit == nil)
    // The user's limit overrides the patch's.
    live.graph.outputPeakCeiling = 0.5
    try live.play(changed(live, #""limits": {"#, #""limits": { "outputPeak": 1"#))
    #expect(session.outputPeakLimit == 0.5)
  }

  @Test func `a request sets no gain of more than the patch allows`() throws {
    let live = try play(Self.plain)
    func refused(_ old: String, _ new: String) throws -> [String] {
      do throws(LivePatch.Refusal) {
        try live.play(changed(live, old, new), isRequest: true)
        return []
      } catch {
        guard case .wrong(let patch) = error else { return ["another refusal"] }
        return patch.diagnostics.filter { $0.severity == .error }
          .map { "\($0.code) \($0.message.text) \($0.pointer ?? "")" }
      }
    }
    let volume = #""volume": 1 "#
    let place = "/nodes/mixer/inputs/0/parameters/volume"
    #expect(
      try refused(volume, #""volume": 1e30 "#)
        == ["PR0612 'volume' of 'mixer' would be 600 dB \(place)"])
    #expect(
      try refused(volume, #""volume": -101 "#)
        == ["PR0612 'volume' of 'mixer' would be 40.09 dB \(place)"])
    // Without a limit it is accepted.
    #expect(try refused(volume, #""volume": 100 "#) == [])
    // The author's own gain is not limited, and stays.
    try live.play(changed(live, #""volume": 100 "#, #""volume": 1000 "#))
    #expect(try refused(#""kind": "tone""#, #""kind": "tone", "frequency": 300"#) == [])
    #expect(try refused(#""outputPeak""#, #""requestedGain": "6 dB", "outputPeak""#) == [])
    #expect(
      try refused(#""gain": 1 "#, #""gain": 4 "#)
        == ["PR0612 'gain' of 'soft' would be 12.04 dB /callbacks/soft/gain"])
    #expect(try refused(#""6 dB""#, #""120 dB""#) == [])
    #expect(try refused(#""volume": 1000 "#, #""volume": 100000 "#) == [])
    #expect(
      try refused(
        #""connections""#,
        #""timeline": [ { "at": 9, "ramp": { "path": "\#(place)", "to": 1e9 } } ], "connections""#
      ).first?.hasPrefix("PR0612 'volume' of 'mixer' would be 180 dB /timeline") == true)
  }

  @Test(
    arguments: [
      ("\"-6 dB\"", 0.501187), ("\"-6dB\"", 0.501187), ("\"-0.5 dBFS\"", 0.944061),
      ("\"0 dB\"", 1), ("1", 1), ("0.25", 0.25), ("1e-6", 1e-6), ("\"-120 dB\"", 1e-6),
    ] as [(String, Double)])
  func `a level is decibels or a number of which 1 is full scale`(
    text: String, value: Double
  ) throws {
    let patch = Self.plain.replacingOccurrences(of: "\"-6 dB\"", with: text)
    let live = try play(patch)
    let limit = Double(try #require(live.graph.session?.outputPeakLimit))
    #expect(abs(limit - value) < 1e-6 && limit <= value + 1e-6 * value)
  }

  @Test(arguments: [
    "-6", "0", "2", "\"6 dB\"", "\"-121 dB\"", "\"-6\"", "\"-6 db\"", "\"loud\"", "\"- 6 dB\"",
    "\"-6  dB\"", "\"1e1 dB\"", "\"dB\"", "\"inf dB\"", "\"0x1 dB\"", "1e-7",
  ])
  func `what is no level is refused, and what was meant is proposed`(text: String) throws {
    let patch = Self.plain.replacingOccurrences(of: "\"-6 dB\"", with: text)
    let reading = PatchReader.read(SourceText(name: "live.json", text: patch))
    let built = PatchBuilder.build(reading)
    let errors = built.diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code.rawValue) == ["PR0611"])
    for fix in errors.flatMap(\.fixes) {
      let edit = try #require(fix.edits.first)
      var bytes = Array(patch.utf8)
      bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
      let again = PatchReader.read(SourceText(name: "live.json", bytes: bytes))
      #expect(
        !PatchBuilder.build(again)
          .hasErrors)
    }
    #expect(
      (errors.first?.fixes.isEmpty == false)
        == ["-6", "\"-6\"", "\"-6 db\"", "\"-6  dB\""].contains(text))
  }
}
