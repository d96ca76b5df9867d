import Foundation
import PatchSyntax
import Testing

@testable import Control

@Suite struct SpectrumBandTests {
  /// The centre frequency of a band.
  private func frequency(_ band: Int, _ count: Int) -> Double {
    20 * pow(2, Double(band) / Double(count))
  }

  @Test func `a band is as high as its strongest bin`() {
    var levels = [Double](repeating: -90, count: 4097)
    levels[171] = -12.34
    let width = 48_000.0 / 8192
    let reading = ControlReading(
      name: "spectrum", unit: "dBFS", values: levels, axis: .bins(width: width))
    let bands = reading.inBands(perOctave: 24)
    #expect(bands.axis == .bands(perOctave: 24))
    #expect(bands.values.count == 240 + 1)
    let strongest = bands.values.firstIndex(of: -12.3)
    #expect(strongest != nil && bands.values.count { $0 > -90 } == 1)
    let ratio = frequency(strongest ?? 0, 24) / (171 * width)
    #expect(abs(log2(ratio)) <= 0.5 / 24)
  }

  @Test func `between bins that are far apart the level is between theirs`() {
    let reading = ControlReading(
      name: "spectrum", unit: "dBFS", values: [-60, -40, -20, -.infinity], axis: .bins(width: 100))
    let bands = reading.inBands(perOctave: 12)
    // The bands end at 300 Hz.
    #expect(frequency(bands.values.count - 1, 12) <= 300)
    #expect(frequency(bands.values.count, 12) > 300)
    #expect(bands.values[0] == -56)
    #expect(bands.values.allSatisfy { $0 <= -20 })
    let rising = bands.values.prefix { $0 > -.infinity }
    #expect(zip(rising, rising.dropFirst()).allSatisfy { $0 <= $1 || $1 == -20 })
  }

  @Test func `what is no spectrum stays`() {
    let loudness = ControlReading(name: "momentary", unit: "LUFS", values: [-23])
    #expect(loudness.inBands(perOctave: 24) == loudness)
    let empty = ControlReading(name: "spectrum", unit: "dBFS", values: [], axis: .bins(width: 10))
    #expect(empty.inBands(perOctave: 24) == empty)
    #expect(empty.json.compact.contains(#""binWidth":10"#))
  }

  @Test func `bands are asked for with meters`() throws {
    let room = try Room()
    let wrong = try room.ask("GET /events?meters=10&bands=0")
    #expect(wrong.status == 400 && wrong.body.contains("'bands' is how many an octave"))
    let other = try room.ask("GET /events?meters=10&prefader=maybe")
    #expect(other.status == 400 && other.body.contains("'prefader' is true or false"))
  }
}
