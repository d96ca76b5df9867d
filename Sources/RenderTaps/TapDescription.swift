public import RenderCore

/// Everything that can be said about a kind of tap before there is one: the schema, the listings
/// and the patch reader are made from this.
///
/// Where the tap is (`at`) is not among the settings: each tap has that.
public struct TapDescription: Sendable {
  /// The name in a patch: `record`.
  public var kind: String
  public var summary: String
  public var settings: [SettingInfo]
  private let make: @Sendable ([String: SettingValue]) -> any RenderTap

  init(
    kind: String, summary: String, settings: [SettingInfo],
    make: @escaping @Sendable ([String: SettingValue]) -> any RenderTap
  ) {
    self.kind = kind
    self.summary = summary
    self.settings = settings
    self.make = make
  }

  /// Everything that is wrong with the settings, whatever the bus; what depends on the bus, and on
  /// files, `RenderTap.problems(for:)` says.
  public func problems(with values: [String: SettingValue]) -> [CallbackProblem] {
    SettingInfo.problems(with: values, settings: settings, of: "a '\(kind)' tap")
  }

  /// Makes the tap. What is not given has its default.
  ///
  /// - Throws: The first of `problems(with:)`.
  public func makeTap(_ values: [String: SettingValue]) throws(CallbackProblem) -> any RenderTap {
    if let problem = problems(with: values).first { throw problem }
    return make(values)
  }
}

/// The kinds of tap there are.
public enum TapCatalog {
  public static let standard: [TapDescription] = [
    RecordTap.description, MeterTap.description, LoudnessTap.description, SpectrumTap.description,
    PictureTap.description,
  ]

  public static func description(of kind: String) -> TapDescription? {
    standard.first { $0.kind == kind }
  }
}
