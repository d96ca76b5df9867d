public import AudioTypes

extension UnitRules {
  /// A ramp moves a parameter that has values in between, and no switch.
  public static let parameterRamps = Rule(
    "PR0556", "parameter/ramps",
    "a ramp moves a parameter that can be anywhere in between",
    statuses: [.invalidParameter],
    page: .init(
      "A ramp moves a parameter that can be anywhere in between.",
      because: """
        A switch is on or off: half of it means nothing. Parameters that can ramp carry the flag
        kAudioUnitParameterFlag_CanRamp. To switch at a time, make a ramp of the volume.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.timed, wrong: ["/parameters/volume\"": "/parameters/enable\""])
    ))
}
