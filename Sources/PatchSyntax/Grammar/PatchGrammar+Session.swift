import AudioTypes

/// The session, the limits and the devices of a patch.
extension PatchGrammar {
  package static let session = ObjectGrammar<PatchDocument.Session>(
    "the session",
    """
    What the patch asks of the audio session. It is a request: patchrun says what was granted.
    """,
    [
      .setting(
        .init(
          "category", .choice(of: SessionCategory.self),
          summary: "The session's category: what it uses of input and output."),
        rule: PatchRules.category
      ) { $0.category = $1 },
      .setting(
        .init(
          "preferredSampleRate", .number(1000...768_000), unit: .hertz,
          summary: "The rate to ask of the hardware: 44100 or 48000, as most do."),
        rule: PatchRules.preferredRate
      ) { $0.preferredSampleRate = $1 },
      .setting(
        .init(
          "preferredIOBufferDuration", .number(0...10, excludesLowerBound: true), unit: .seconds,
          summary:
            "The length of a slice to ask for, in seconds or as \"5 ms\": 0.005 is 256 frames or so."
        )
      ) { $0.preferredIOBufferDuration = $1 },
      .setting(
        .init(
          "onInterruption", .choice(of: SessionPolicy.Interruption.self),
          defaultValue: .text("continue"),
          summary: """
            What to do when the sound server suspends the device, or asks for silence because somebody \
            has a call.
            """), rule: PatchRules.sessionDecision
      ) { $0.policy.onInterruption = $1.value },
      .setting(
        .init(
          "onRouteChange", .choice(of: SessionPolicy.RouteChange.self),
          defaultValue: .text("follow"),
          summary: "What to do when the sound server moves the sound to another device."),
        rule: PatchRules.sessionDecision
      ) { $0.policy.onRouteChange = $1.value },
      .setting(
        .init(
          "onDeviceLoss", .choice(of: SessionPolicy.DeviceLoss.self), defaultValue: .text("wait"),
          summary: """
            What to do when the device or the sound server goes, stays suspended or hangs, or is not \
            there at the start.
            """), rule: PatchRules.sessionDecision
      ) { $0.policy.onDeviceLoss = $1.value },
      .setting(
        .init(
          "deviceWait", .number(0 ... .infinity, excludesLowerBound: true), unit: .seconds,
          summary: """
            How long a device that is gone is waited for, in seconds. Without it: as long as it takes.
            """)
      ) { $0.policy.deviceWait = $1.value },
      .setting(
        .init(
          "withoutDevice", .choice(of: SessionPolicy.TimeWithoutDevice.self),
          defaultValue: .text("continue"),
          summary: "What files, timeline and recordings do while there is no device."),
        rule: PatchRules.sessionDecision
      ) { $0.policy.withoutDevice = $1.value },
    ])

  package static let limits = ObjectGrammar<PatchDocument.Limits>(
    "the limits", "How loud the patch lets itself become, and lets others make it.",
    [
      level(
        "outputPeak",
        """
        The level that nothing which is put out is ever above, whatever the patch does and whoever changes \
        it: "-1 dB", or a number of which 1 is full scale. What would be louder is turned down. Taps are in \
        front of it.
        """, in: PatchDocument.Limits.outputPeakRange
      ) { $0.outputPeak = $1 },
      level(
        "requestedGain",
        "The greatest gain that requests and OSC messages may set; 40 dB where nothing is said.",
        in: PatchDocument.Limits.requestedGainRange
      ) { $0.requestedGain = $1 },
    ])

  /// A level in decibels. A rule of its own checks its range.
  private static func level(
    _ key: String, _ summary: String, in range: ClosedRange<Double>,
    _ set: @escaping @Sendable (inout PatchDocument.Limits, Located<Level>?) -> Void
  ) -> MemberGrammar<PatchDocument.Limits> {
    let name = "'\(key)'"
    return .member(key, summary, .level(upTo: range.upperBound)) { reader, json, limits in
      set(&limits, reader.level(json, name))
    }
  }

  /// The devices of an I/O unit.
  package static let device = ObjectGrammar<PatchDocument.Device>(
    "a device",
    """
    What the I/O unit plays on and hears from: as `patchrun devices` shows them. --sink and --source win; a \
    patch that is rendered needs neither.
    """,
    [
      .member("sink", "What it plays on.", .definition("deviceChoice")) {
        $2.sink = $0.deviceChoice($1, "'sink'")
      },
      .member("source", "What it hears from.", .definition("deviceChoice")) {
        $2.source = $0.deviceChoice($1, "'source'")
      },
    ])
}
