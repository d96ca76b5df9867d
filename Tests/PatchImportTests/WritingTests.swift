import AudioTypes
import Diagnostics
import Foundation
import Testing

@testable import PatchImport

@Suite struct WritingTests {
  private static func chain(
    _ text: String, _ dialect: ImportDialect = .equalizerAPO
  ) throws -> FilterChain {
    try #require(
      FilterImport.read(SourceText(name: "x", text: text), from: dialect, ImportOptions())?.chain)
  }

  private static func written(
    _ chain: FilterChain, response: String? = "r.wav"
  ) -> PatchWriter.Written {
    var options = PatchWriter.Options()
    options.responseName = response
    return PatchWriter.write(chain, options)
  }

  /// The gain of a response at a frequency, from the sum over its samples.
  private static func decibels(
    of taps: [Double], at frequency: Double, sampleRate: Double = 48_000
  ) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, tap) in taps.enumerated() {
      let angle = 2 * Double.pi * frequency / sampleRate * Double(index)
      real += tap * cos(angle)
      imaginary -= tap * sin(angle)
    }
    return 20 * log10(hypot(real, imaginary))
  }

  /// The crossfeed example: each side gets the low frequencies of the other at 0.3.
  @Test func `a graph that branches is mixes and filters of the same sound`() throws {
    let example = try #require(
      DialectExample.all.first { $0.path.hasSuffix("17-crossfeed-graph.conf") })
    let chain = try #require(try example.imported().chain)
    let response = ChainResponse(of: chain.stages, channelCount: 2, sampleRate: 48_000)
    #expect(chain.outputCount == 2)
    let low = FilterSection(.lowpass, 700, q: 0.7).coefficients(sampleRate: 48_000)
    for side in 0...1 {
      let same = response.rows[side][side]
      #expect(same[0] == 1 && same.dropFirst().allSatisfy { $0 == 0 })
      for frequency in [30.0, 200, 700, 2000, 8000] {
        let wanted = low.decibels(at: frequency, sampleRate: 48_000) + 20 * log10(0.3)
        #expect(
          abs(Self.decibels(of: response.rows[side][1 - side], at: frequency) - wanted) < 0.001)
      }
    }
  }

  @Test func `a graphic equalizer follows its points and has the minimum phase`() throws {
    let points = [FilterChain.CurvePoint(30, 5), .init(110, 0.5), .init(1000, -2), .init(9500, -6)]
    let taps = MinimumPhase.taps(of: points, sampleRate: 48_000)
    for frequency in [40.0, 60, 110, 300, 1000, 3000, 9500, 15_000] {
      let wanted = FilterChain.decibels(of: points, at: frequency)
      #expect(abs(Self.decibels(of: taps, at: frequency) - wanted) < 0.02, "\(frequency) Hz")
    }
    // The energy is concentrated at the beginning.
    let all = taps.reduce(0) { $0 + $1 * $1 }
    #expect(taps.prefix(64).reduce(0) { $0 + $1 * $1 } > 0.9 * all)
  }

  @Test func `a channel of its own has a response from each channel to each`() throws {
    let chain = try Self.chain("Channel: R\nPreamp: -6 dB\nDelay: 1 ms\n")
    let written = Self.written(chain)
    let text = try #require(written.text)
    #expect(text.contains("\"path\": \"r.wav\"") && !text.contains("NBandEQ"))
    let bytes = try #require(written.response)
    #expect(bytes[22] == 4)
    let response = ChainResponse(of: chain.stages, channelCount: 2, sampleRate: 48_000)
    #expect(response.rows[0][0][0] == 1 && response.rows[0][1].allSatisfy { $0 == 0 })
    #expect(abs(response.rows[1][1][48] - pow(10, -0.3)) < 1e-12)
  }

  @Test func `what needs a file is named where there is none`() throws {
    let written = Self.written(
      try Self.chain("Preamp: -3 dB\nFilter: ON AP Fc 500 Hz Q 1\n"), response: nil)
    #expect(written.diagnostics.map(\.code) == ["PR1003"])
    #expect(written.text?.contains("\"globalGain\": \"-3 dB\"") == true)
  }

  @Test func `a crossover has a matrix in front, and channels for all of its ways`() throws {
    let example = try #require(
      DialectExample.all.first { $0.path.hasSuffix("08-linkwitz-riley-crossover.yml") })
    let chain = try #require(try example.imported().chain)
    let written = Self.written(chain)
    let text = try #require(written.text)
    #expect(written.diagnostics.isEmpty)
    // One of the ways is inverted, which the response does, not the matrix.
    #expect(text.contains(#""matrixLevels": [[1, 0, 0, 0], [0, 1, 0, 0]]"#))
    #expect(text.contains(#""streamFormat": "wide""#))
    let bytes = try #require(written.response)
    #expect(bytes[22] == 16)
  }

  @Test func `a matrix that only sends is the matrix of the mixer, and needs no file`() throws {
    var chain = FilterChain(sampleRate: 48_000, channels: ["L", "R"])
    chain.stages = [
      .init(.gain(-3, isInverted: false), at: 0..<0),
      .init(.mix([[1, 0], [0, 1], [0.5, 0.5]]), at: 0..<0),
      .init(.section(FilterSection(.peaking, 1000, gain: 3, q: 1)), at: 0..<0),
    ]
    let written = Self.written(chain, response: nil)
    let text = try #require(written.text)
    #expect(written.diagnostics.isEmpty && written.response == nil)
    #expect(text.contains(#""matrixLevels": [[1, 0, 0.5], [0, 1, 0.5]]"#))
    #expect(text.contains(#""globalGain": "-3 dB""#) && text.contains("parametric"))
  }

  @Test func `more bands than one equalizer has are in two`() throws {
    let lines = (1...70).map { "Filter \($0): ON PK Fc \($0 * 100) Hz Gain 1 dB Q 1" }
    let text = try #require(Self.written(try Self.chain(lines.joined(separator: "\n"))).text)
    #expect(text.components(separatedBy: "\"parametric\"").count == 71)
    #expect(text.contains("\"to\": \"eq2\""))
  }
}
