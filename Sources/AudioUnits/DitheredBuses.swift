public import AudioTypes

/// Dither is set only on buses on which samples become integers.
public enum DitheredBuses {
  /// Warnings for dither without effect, in the order of the buses.
  ///
  /// - Parameter configuration: Every format is settled.
  public static func violations(
    _ description: UnitDescription, _ configuration: UnitConfiguration
  ) -> [Violation] {
    guard configuration.properties.contains(where: { $0.key.id == .dither }) else { return [] }
    return [(Scope.input, configuration.inputs), (.output, configuration.outputs)]
      .flatMap { scope, elements in
        elements.indices.compactMap { index in
          guard configuration.dither(scope, index) != .none else { return nil }
          return violation(description, scope, index, elements[index])
        }
      }
  }

  private static func violation(
    _ description: UnitDescription, _ scope: Scope, _ index: Int,
    _ element: UnitConfiguration.Element
  ) -> Violation? {
    let bus = "\(scope) \(index) of \(description.name)"
    let isDevice = element.origin == .hardware
    // The format of a device is not known before it is opened.
    if isDevice && scope == .output { return nil }
    let (what, help): (String, String)
    if isDevice {
      what = "\(bus) brings what the device has heard: nothing is rounded there"
      help = "ask for it on outputs/\(index), where the graph takes it from"
    } else if element.format.sampleType == .float32 {
      what = "\(bus) carries floats: nothing is rounded there that dither could be added to"
      help = "give the bus a format of integers, \"int16\" for example, or leave \"dither\" out"
    } else if scope == .input && element.use == .connection {
      what = "\(bus) is given integers by its connection: nothing is rounded there"
      help = "ask for it on the output that the connection comes from"
    } else {
      return nil
    }
    return Violation(
      UnitRules.dither, status: .ok, what,
      at: .init(node: nil, .property(.dither, scope, index)), help: [help],
      remedies: [
        Remedy("set it to none", [.setProperty("dither", scope, index, "\"none\"")])
      ])
  }
}
