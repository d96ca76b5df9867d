import AudioGraphs
import AudioTypes
import AudioUnits
import PatchSyntax

/// Where a sample rate is written that something converts. A unit finds the conversion at its own bus, and the
/// rate of that has most often come from elsewhere.
extension GraphBuilder {
  /// The rate that a finding about a conversion of rates is about; `nil` where it is not written, and of other
  /// findings.
  func writtenRate(
    of violation: Violation, _ configurations: [NodeID: UnitConfiguration]
  ) -> JSONValue? {
    guard [UnitRules.converterStep, UnitRules.deviceRate].contains(violation.rule),
      var node = violation.place.node,
      case .streamFormat(var scope, var element) = violation.place.part
    else { return nil }
    // No way back through a graph is longer than twice its nodes.
    for _ in 0...(2 * configurations.count) {
      guard let configuration = configurations[node] else { return nil }
      let elements = scope == .input ? configuration.inputs : configuration.outputs
      guard elements.indices.contains(element) else { return nil }
      switch elements[element].origin {
      case .given, .rateGiven:
        let json = places.value(.init(node: node, .streamFormat(scope, element)))
        return json["sampleRate"] ?? json
      case .graphDefault: return places.root["streamFormat"].map { $0["sampleRate"] ?? $0 }
      case .propagated(let source, let output): (node, scope, element) = (source, .output, output)
      case .followsInput: (scope, element) = (.input, 0)
      case .initial, .hardware: return nil
      }
    }
    return nil
  }

  /// Reports a finding where what is wrong is written: a conversion of rates at the rate, with its unit named.
  mutating func report(
    _ violation: Violation, _ configurations: [NodeID: UnitConfiguration]
  ) {
    guard let rate = writtenRate(of: violation, configurations) else { return report(violation) }
    var violation = violation
    violation.notes.append(
      .init("it is converted here", at: .init(node: violation.place.node, .whole)))
    if let number = rate.number, number > 0, number < 1000 {
      violation.help.insert(
        "rates are in hertz: \(rateText((number * 1000).rounded())) was meant?", at: 0)
    }
    report(violation, at: rate)
  }
}
