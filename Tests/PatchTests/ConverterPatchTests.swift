import Foundation
import SoundFiles
import TestSupport
import Testing

/// The Format Converter from a patch to a file, compared with sox.
struct ConverterPatchTests {
  private static func patch(from rate: Int, to output: Int, sample: String = "float32") -> String {
    """
    {
      "streamFormats": {
        "file": { "sample": "\(sample)", "channels": 1, "sampleRate": \(rate) },
        "out": { "sample": "float32", "channels": 1, "sampleRate": \(output) }
      },
      "callbacks": { "sweep": { "kind": "file", "path": "in.wav" } },
      "nodes": {
        "converter": {
          "component": "FormatConverter",
          "properties": { "sampleRateConverterComplexity": "mastering" },
          "inputs": { "0": { "streamFormat": "file" } },
          "outputs": { "0": { "streamFormat": "out" } }
        },
        "out": { "component": "GenericOutput" }
      },
      "connections": [
        { "from": "sweep", "to": "converter" }, { "from": "converter", "to": "out" }
      ]
    }
    """
  }

  @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (22_050, 48_000), (96_000, 44_100)])
  func `a file is converted as sox converts it, and is as long`(from: Int, to: Int) throws {
    let place = try Workplace()
    // From 100 Hz to 0.3 of the lower rate with soft ends, where both programs are flat. `.ci/setup
    // --tests` installs sox; without it this test fails.
    let top = min(from, to) * 3 / 10
    let made = try place.shell(
      "sox -n -r \(from) -c 1 -e float -b 32 in.wav synth 0.3 sine 100-\(top) gain -6 fade h 0.1 0.3 0.1 "
        + "&& sox in.wav -e float -b 32 -t raw reference.raw rate -v \(to)"
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    try place.write(Self.patch(from: from, to: to), to: "convert.json")
    let outcome = try place.run("render", "convert.json", "-o", "out.wav", "-q")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let found = try place.samples("out.wav")
    let bytes = try place.bytes("reference.raw")
    let reference = unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
      }
    }
    let length = (from * 3 / 10 * to + from - 1) / from
    #expect(found.count == length)
    #expect(abs(reference.count - length) <= 1)
    // sox itself has errors of up to -116 dB, more at higher pitches and with other bandwidths.
    // Compared with libsoxr and the formula, ours are below -140 dB (`RateConversionTests`).
    let worst = zip(found, reference).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
    #expect(20 * log10(Double(max(worst, 1e-30))) < -110)
  }

  @Test(arguments: ["int16", "int24"])
  func `a file of integers goes through equal rates bit for bit`(sample: String) throws {
    let place = try Workplace()
    let made = try place.shell(
      "sox -D -n -r 48000 -c 1 -b \(sample.suffix(2)) in.wav synth 0.1 whitenoise gain -1"
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    try place.write(Self.patch(from: 48_000, to: 48_000, sample: sample), to: "convert.json")
    try place.run("render", "convert.json", "-o", "out.wav", "--format", sample, "-q")
    let (found, given) = (try place.samples("out.wav"), try place.samples("in.wav"))
    #expect(found == given && found.count == 4800)
  }

  @Test func `the patch that converts two files plays both`() throws {
    let place = try Workplace()
    let file = CommandLineTool.patches + "/convert-rate.json"
    for rate in [44_100, 48_000] {
      let outcome = try place.run(
        "render", file, "-o", "out.wav", "--duration", "0.5", "--hardware", "rate=\(rate)", "-q")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let samples = try place.samples("out.wav")
      #expect(samples.count == rate)
      #expect(samples.contains { abs($0) > 0.1 } && samples.allSatisfy { $0.isFinite })
    }
  }
}
