import AudioTypes
import Glibc
import TestSupport
import Testing

/// White noise between ±0.5, from a seed.
func noise(_ count: Int, seed: UInt64) -> [Float] { noise(count, amplitude: 0.5, seed: seed) }

/// The largest magnitude in dBFS.
func peakLevel(_ samples: [Double]) -> Double {
  20 * log10(samples.reduce(1e-30) { max($0, abs($1)) })
}

/// Expects identical samples, and reports the first difference.
func expectSame(
  _ found: [[Float]], _ expected: [[Float]], sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(found.map(\.count) == expected.map(\.count), sourceLocation: sourceLocation)
  for (channel, pair) in zip(found, expected).enumerated() {
    let place = firstDifference(pair.0, pair.1)
    #expect(place == nil, "the first frame in channel \(channel)", sourceLocation: sourceLocation)
  }
}

/// Expects a call to be refused with a status, and returns the error.
@discardableResult
func expectRefused(
  _ status: Status, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> Violation? {
  do {
    try body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
  } catch let violation as Violation {
    #expect(violation.status == status, "\(violation.message)", sourceLocation: sourceLocation)
    return violation
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
  return nil
}
