public import AudioTypes

extension UnitRules {
  /// A unit renders only what it can, into buffers of its format.
  public static let unitRender = Rule(
    "PR0514", "unit/render",
    "a unit is asked to render what it can, into buffers of its format",
    statuses: [.noConnection, .tooManyFramesToProcess, .invalidElement, .parameterError],
    page: .init(
      "A unit is asked to render what it can, into buffers of its format.",
      because: """
        AudioUnitRender looks whether the unit is initialized, whether it takes so many frames, whether
        there is such an output and whether the buffers are those of its stream format: one for each
        channel, or one for all where the format is interleaved. An effect needs something that feeds it.
        """,
      example: .swift(
        wrong: """
          let unit = UnitInstance(IPodEQ.self)
          try unit.initialize()
          _ = try unit.render(512)
          """,
        right: """
          let unit = UnitInstance(IPodEQ.self)
          try unit.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(callback))
          try unit.initialize()
          _ = try unit.render(512)
          """)))
}
