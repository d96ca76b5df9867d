/// The kinds of tap.
public struct TapCatalog: Sendable {
  /// The taps that record and measure. The taps that draw are in the room `PictureTaps`, which
  /// needs a library.
  public static let standard = TapCatalog([
    RecordTap.description, MeterTap.description, LoudnessTap.description, SpectrumTap.description,
  ])

  /// The kinds, in the order of listings.
  public let kinds: [TapDescription]

  public init(_ kinds: [TapDescription]) { self.kinds = kinds }

  /// This catalogue with further kinds at its end.
  public func adding(_ more: TapDescription...) -> TapCatalog { TapCatalog(kinds + more) }

  /// The kind with a name; `nil` for none.
  public func description(of kind: String) -> TapDescription? {
    kinds.first { $0.kind == kind }
  }
}
