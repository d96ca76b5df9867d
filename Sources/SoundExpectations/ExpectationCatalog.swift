/// All kinds of expectations. Each is in a file of its own.
public enum ExpectationCatalog {
  /// All kinds, in the order of listings.
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

  /// The kind with a name; `nil` for an unknown name.
  public static func kind(_ name: String) -> ExpectationKind? { byName[name] }
}
