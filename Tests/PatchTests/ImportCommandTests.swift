import AudioTypes
import Diagnostics
import Foundation
import PatchImport
import SoundFiles
import TestSupport
import Testing

/// Filters of other programs, from their text to the sound of the patch.
struct ImportCommandTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  /// The response of a patch from the device's input to its output: the frequencies, and the gains
  /// of each channel.
  private func response(of patch: String) throws -> (frequencies: [Double], channels: [[Double]]) {
    let outcome = try place.start(
      ["response", patch, "--from", "io:1", "--points", "6", "--format", "json"]
    ).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let channels = try #require(json["channels"] as? [[String: Any]])
    return (
      try #require(json["frequencies"] as? [Double]),
      try channels.map {
        (try #require($0["magnitudeDB"] as? [Any])).map { $0 as? Double ?? -.infinity }
      }
    )
  }

  /// Some files of each dialect that together have all its features, with equal and with different
  /// channels.
  static let heard: [(ImportDialect, String)] = [
    (.autoEQ, "01-ten-bands.txt"), (.autoEQ, "09-graphic-short.txt"),
    (.autoEQ, "12-made-2-parametric.txt"),
    (.equalizerAPO, "04-passes-with-and-without-q.txt"), (.equalizerAPO, "08-corner-shelves.txt"),
    (.equalizerAPO, "12-channels.txt"), (.equalizerAPO, "20-iir.txt"),
    (.equalizerAPO, "16-graphic-eq.txt"),
    (.rew, "02-every-type.txt"), (.rew, "04-notch-allpass-linkwitz.txt"),
    (.rew, "08-channel-line.txt"),
    (.camillaDSP, "02-passes.yml"), (.camillaDSP, "03-shelves.yml"),
    (.camillaDSP, "07-butterworth.yml"), (.camillaDSP, "21-made-1.yml"),
    (.pipeWire, "04-every-biquad.conf"), (.pipeWire, "08-param-eq-file.conf"),
    (.pipeWire, "09-two-channels-apart.conf"),
    (.easyEffects, "02-every-apo-type.json"), (.easyEffects, "03-default-mode-bell.json"),
    (.easyEffects, "08-split-channels.json"),
  ]

  @Test(arguments: heard)
  func `an imported patch sounds as the formulas of its text say`(
    dialect: ImportDialect, name: String
  ) throws {
    let folder = "\(CommandLineTool.dialects)/\(dialect.rawValue)"
    let file = "\(folder)/\(name)"
    let outcome = try place.start(["import", "--from", dialect.rawValue, file, "-o", "patch.json"])
      .wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: file)))
    let chain = try #require(
      FilterImport.read(
        SourceText(name: file, bytes: bytes), from: dialect, ImportOptions(folder: folder))?.chain)
    let found = try response(of: "patch.json")
    #expect(found.channels.count == 2)
    for (channel, gains) in found.channels.enumerated() {
      for (frequency, gain) in zip(found.frequencies, gains)
      where (20...20_000).contains(frequency) && frequency < 0.45 * chain.sampleRate {
        let wanted = try #require(chain.decibels(ofChannel: channel, at: frequency))
        guard wanted > -80 else { continue }
        #expect(abs(gain - wanted) < 0.01, "\(frequency) Hz of channel \(channel): \(wanted) dB")
      }
    }
  }

  /// Writes a pulse on the left channel, and half of it on the right.
  private func writePulse(frames: Int) throws {
    let writer = try SoundFileWriter(
      path: place.path("pulse.wav"),
      format: StreamFormat(.float32, channels: 2, sampleRate: 48_000), sampleType: nil)
    try writer.write([1, 0.5] + Array(repeating: 0, count: 2 * frames - 2), frameCount: frames)
    try writer.close()
  }

  @Test func `a crossover of four ways and a sum of two are heard as their texts say`() throws {
    let frames = 8192
    try writePulse(frames: frames)
    for (name, count) in [
      ("08-linkwitz-riley-crossover.yml", 4), ("15-mono-mixer-and-compressor.yml", 1),
    ] {
      let file = "\(CommandLineTool.dialects)/camilladsp/\(name)"
      #expect(
        try place.run("import", file, "--input", "pulse.wav", "-o", "patch\(count).json").status
          == 0)
      let outcome = try place.run(
        "render", "patch\(count).json", "--hardware", "rate=48000,channels=\(count)", "--duration",
        "\(Double(frames) / 48_000)", "-o", "out.wav")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let heard = try place.samples("out.wav")
      #expect(heard.count == frames * count)
      func way(_ channel: Int) -> [Double] {
        stride(from: channel, to: heard.count, by: count).map { Double(heard[$0]) }
      }
      if count == 1 {
        // Both at -6 dB.
        #expect(abs(way(0)[0] - 1.5 * pow(10, -0.3)) < 1e-6)
        continue
      }
      let factors = [1, 0.5, -pow(10, -0.15), 0.25]
      let low = FilterSection(.lowpass, 2000).coefficients(sampleRate: 48_000)
      // LR2: two filters of first order.
      let high = FilterSection(.highpass, 2000, q: 0.5).coefficients(sampleRate: 48_000)
      for channel in 0..<4 {
        var wanted = [Double](repeating: 0, count: frames)
        wanted[0] = factors[channel]
        for coefficients in channel < 2 ? [low, low] : [high] {
          wanted = Self.filtered(wanted, coefficients)
        }
        let worst = zip(wanted, way(channel)).map { abs($0 - $1) }.max() ?? 1
        // -120 dBFS, for a pulse at full scale.
        #expect(worst < 1e-6, "channel \(channel): \(worst)")
      }
    }
  }

  /// The difference equation.
  private static func filtered(_ input: [Double], _ filter: SectionCoefficients) -> [Double] {
    var output: [Double] = []
    for frame in input.indices {
      var sum = 0.0
      for (index, b) in filter.b.enumerated() where frame >= index {
        sum += b * input[frame - index]
      }
      for (index, a) in filter.a.enumerated().dropFirst() where frame >= index {
        sum -= a * output[frame - index]
      }
      output.append(sum)
    }
    return output
  }

  @Test func `a result of AutoEq reads well as a patch`() throws {
    let file = "\(CommandLineTool.dialects)/autoeq/01-ten-bands.txt"
    let outcome = try place.start(["import", file]).wait()
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        {
          "schemaVersion": 1,
          "comment": "Imported from 01-ten-bands.txt of AutoEq.",
          "session": { "category": "playAndRecord", "preferredSampleRate": 48000 },
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "nodes": {
            "eq": {
              "component": "NBandEQ",
              "parameters": { "globalGain": "-6.3 dB" },
              "bands": [
                { "type": "resonantLowShelf", "frequency": 105, "gain": "5.9 dB", "bandwidth": 1.916853 },
                { "type": "parametric", "frequency": 130, "gain": "-2.4 dB", "bandwidth": 2.128547 },
                { "type": "parametric", "frequency": 842, "gain": "1.9 dB", "bandwidth": 1.160748 },
                { "type": "parametric", "frequency": 1984, "gain": "-1.7 dB", "bandwidth": 0.703691 },
                { "type": "parametric", "frequency": 3411, "gain": "3.3 dB", "bandwidth": 0.562199 },
                { "type": "parametric", "frequency": 5466, "gain": "-4.1 dB", "bandwidth": 0.362445 },
                {
                  "type": "resonantHighShelf",
                  "frequency": 10000,
                  "gain": "-3.8 dB",
                  "bandwidth": 1.916853
                }
              ]
            },
            "io": {
              "component": "remoteIO",
              "inputs": { "1": { "properties": { "enableIO": true } } }
            }
          },
          "connections": [
            { "from": "io:1", "to": "eq" },
            { "from": "eq", "to": "io:0" }
          ]
        }

        """)
  }

  @Test(
    arguments: [
      "autoeq/01-ten-bands.txt", "autoeq/03-fixed-bands.txt", "autoeq/14-made-4-fixed.txt",
    ])
  func `what is exported and imported again is the same`(name: String) throws {
    let file = "\(CommandLineTool.dialects)/\(name)"
    let first = try place.start(["import", file]).wait().output
    try place.write(first, to: "first.json")
    let exported = try place.start(["export", "--to", "autoeq", "first.json"]).wait()
    #expect(exported.status == 0, "\(exported.errors)")
    try place.write(exported.output, to: "second.txt")
    let second = try place.start(["import", "--from", "autoeq", "second.txt"]).wait().output
    func lines(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.contains("\"comment\"") }
    }
    #expect(lines(first) == lines(second))
  }

  @Test func `what is in the way of a list of filters is named`() throws {
    let mixer = try place.start(
      ["export", "--to", "autoeq", CommandLineTool.patches + "/mixer-host.json"]
    ).wait()
    #expect(mixer.status == 1)
    #expect(mixer.errors.contains("PR1010"))
    #expect(mixer.errors.contains("it is no NBandEQ"))
  }

  @Test func `a text of nobody is asked about`() throws {
    try place.write("hello\n", to: "hello.txt")
    let outcome = try place.start(["import", "hello.txt"]).wait()
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--from"))
  }

  @Test func `what is left out is named at its line`() throws {
    try place.write("Preamp: -6 dB\nFilter 1: ON PK Fc 100 Hz Gain 3 dB\n", to: "eq.txt")
    let outcome = try place.start(["import", "--from", "equalizer-apo", "eq.txt"]).wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("eq.txt:2:1"))
    #expect(outcome.errors.contains("PR1001"))
    #expect(outcome.output.contains("\"globalGain\": \"-6 dB\""))
  }
}
