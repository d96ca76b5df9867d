import AudioTypes
import AudioUnits
import PatchSyntax

/// Finds where the sample rate that a unit converts is written. The unit reports the conversion at
/// its own bus, but usually the rate comes from upstream.
extension GraphBuilder {
  /// The written rate that a finding about a rate conversion is about; `nil` where the rate is not
  /// written, and for other findings.
  func writtenRate(
    of violation: Violation, _ configurations: [NodeID: UnitConfiguration]
  ) -> JSONValue? {
    guard [UnitRules.converterStep, UnitRules.deviceRate].contains(violation.rule),
      var node = violation.place.node,
      case .streamFormat(var scope, var element) = violation.place.part
    else { return nil }
    // A path upstream has at most two elements of each node.
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

  /// Reports a violation. A rate conversion is reported at the written rate, with a note at the
  /// unit.
  mutating func report(
    _ violation: Violation, _ configurations: [NodeID: UnitConfiguration]
  ) {
    guard let rate = writtenRate(of: violation, configurations) else { return report(violation) }
    var violation = violation
    violation.notes.append(
      .init("it is converted here", at: .init(node: violation.place.node, .whole)))
    if let help = rate.number.flatMap(hertzHelp) { violation.help.insert(help, at: 0) }
    report(violation, at: rate)
  }
}
