/// The kinds of expectation there are. Each is in a file of its own.
public enum ExpectationCatalog {
  /// In the order in which they are listed.
  public static let kinds: [ExpectationKind] = [
    .peak,
    .truePeak,
    .rms,
    .integratedLoudness,
    .shortTerm,
    .range,
    .silence,
    .notSilent,
    .dc,
    .balance,
    .correlation,
    .band,
    .tone,
    .thd,
    .thdn,
    .snr,
    .clipping,
    .finite,
    .clicks,
    .dropouts,
    .tail,
    .response,
    .latency,
    .duration,
    .golden,
    .sameAs,
    .sameAtSlices,
    .sameAfter,
    .diagnostics,
    .load,
  ]

  private static let byName = Dictionary(
    uniqueKeysWithValues: kinds.map { ($0.name, $0) })

  /// The kind of a name; `nil` where there is none.
  public static func kind(_ name: String) -> ExpectationKind? { byName[name] }
}
