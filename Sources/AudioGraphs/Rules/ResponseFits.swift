import AudioTypes

extension MemoryFits {
  /// An impulse response is no longer than is allowed.
  package static let response = Rule(
    "PR0230", "limit/seconds",
    "an impulse response is no longer than the limit allows",
    statuses: [.formatNotSupported],
    page: .init(
      "An impulse response lasts no longer than the limit: 30 seconds.",
      because: """
        A response is kept in memory as spectra, and each frame that comes out is made of all of it.
        `--limit seconds=60` allows longer ones.
        """,
      statusNote: Rule.Page.undocumented,
      example: .none("It is the file that is too long, and not the patch.")))
}
