import AudioGraphs
import AudioTypes
import AudioUnits
import Glibc

/// The gain of a unit at each frequency.
public struct ResponseCurve: Hashable, Sendable {
  /// The frequencies in hertz, evenly spaced on a logarithmic scale from 20 Hz to 20 kHz, or to
  /// half the sample rate where that is lower.
  public var frequencies: [Double]
  /// The gain at each, in decibels.
  public var decibels: [Double]
}

extension LivePatch {
  /// The nodes that have a response curve, in the order of the patch.
  public var filters: [String] {
    let (present, playing) = (present, graph.playing)
    return present.reference.layout.nodeNames.filter { name in
      present.nodes[name].flatMap { playing.unit($0) }?.gains(at: []) != nil
    }
  }

  /// The curve of a node with its current settings; `nil` for a node that is not a filter or does
  /// not exist.
  ///
  /// - Parameter count: How many frequencies, at least 2.
  public func response(of node: String, count: Int = 200) -> ResponseCurve? {
    guard let id = present.nodes[node], let unit = graph.playing.unit(id) else { return nil }
    let rate = unit.configuration().outputs.first?.format.sampleRate ?? 0
    let (lowest, highest) = (20.0, min(20_000, rate / 2))
    let frequencies = (0..<count).map { index in
      lowest * pow(highest / lowest, Double(index) / Double(count - 1))
    }
    return unit.gains(at: frequencies).map {
      ResponseCurve(frequencies: frequencies, decibels: $0)
    }
  }
}
