import AudioTypes
import AudioUnits

/// The largest slice that can occur is within each unit's maximum.
enum SliceFits {
  static let rule = Rule(
    "PR0310", "unit/slice-fits", "No slice is larger than a unit's maximumFramesPerSlice.")

  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, largestSlice: Int
  ) -> Violation? {
    let maximum = configuration.maximumFramesPerSlice
    guard largestSlice > maximum, !node.unit.description.sizesItsOwnSlices else { return nil }
    return Violation(
      rule, status: .tooManyFramesToProcess,
      "a slice has up to \(largestSlice) frames, but '\(node.name)' takes at most \(maximum)",
      at: .init(node: node.id, .property(.maximumFramesPerSlice, .global, 0)),
      help: [
        "set \"properties\": { \"maximumFramesPerSlice\": \(max(4096, largestSlice)) }"
      ],
      remedies: [
        Remedy(
          "set maximumFramesPerSlice to \(max(4096, largestSlice))",
          [.setProperty("maximumFramesPerSlice", .global, 0, "\(max(4096, largestSlice))")])
      ])
  }
}

/// With no input active slices grow to 4096 frames when an iPhone's screen is locked.
enum SlicesOfScreenLock {
  static let rule = Rule(
    "PR0311", "unit/slice-4096",
    "With no input active, a unit takes the 4096 frames of a slice while the screen is locked.")

  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration
  ) -> Violation? {
    guard node.component.type != .outputType, configuration.maximumFramesPerSlice < 4096 else {
      return nil
    }
    return Violation(
      rule, .warning, status: .ok,
      "'\(node.name)' takes at most \(configuration.maximumFramesPerSlice) frames in a slice; on "
        + "an iPhone whose screen is locked slices have 4096, and the sound would stop (QA1606)",
      at: .init(node: node.id, .property(.maximumFramesPerSlice, .global, 0)),
      help: ["set \"properties\": { \"maximumFramesPerSlice\": 4096 }"],
      remedies: [
        Remedy(
          "set maximumFramesPerSlice to 4096",
          [.setProperty("maximumFramesPerSlice", .global, 0, "4096")])
      ])
  }
}
