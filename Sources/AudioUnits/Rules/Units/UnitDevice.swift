public import AudioTypes

extension UnitRules {
  /// An I/O unit outside of a graph is given a device before it is initialized.
  public static let unitDevice = Rule(
    "PR0515", "unit/device",
    "an I/O unit outside of a graph is given a device before it is initialized",
    statuses: [.failedInitialization],
    page: .init(
      "An I/O unit outside of a graph is given a device before it is initialized.",
      because: """
        On a phone there is one device, and an I/O unit has it when it is made. Here there may be many, or
        none: a graph is made for one, and a unit by itself is told which.
        """,
      statusNote: Rule.Page.undocumented,
      example: .swift(
        wrong: """
          let unit = UnitInstance(RemoteIO.self)
          try unit.initialize()
          """,
        right: """
          let unit = UnitInstance(RemoteIO.self)
          try unit.useDevice(device)
          try unit.initialize()
          """)))
}
