import FileAccess
import RenderCore

/// The kinds of tap there are.
public struct TapCatalog: Sendable {
  /// The taps that record and measure. Those that draw are in the room `PictureTaps`, which needs a
  /// library for it.
  public static let standard = TapCatalog([
    RecordTap.description, MeterTap.description, LoudnessTap.description, SpectrumTap.description,
  ])

  /// In the order in which they are listed.
  public let kinds: [TapDescription]

  public init(_ kinds: [TapDescription]) { self.kinds = kinds }

  /// This catalogue and more kinds, behind those that are there.
  public func adding(_ more: TapDescription...) -> TapCatalog { TapCatalog(kinds + more) }

  /// The kind of a name; `nil` where there is none.
  public func description(of kind: String) -> TapDescription? {
    kinds.first { $0.kind == kind }
  }
}
