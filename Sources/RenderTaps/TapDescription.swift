public import AudioTypes
public import FileAccess
public import RenderCore

/// The description of a kind of tap: schema, listings and patch reader are made from it.
///
/// The place of the tap (`at`) is not one of the settings: every tap has it.
public struct TapDescription: Sendable {
  /// Its name in a patch: `record`.
  public var kind: String
  /// A sentence for users.
  public var summary: String
  /// Its settings, in the order of the reference.
  public var settings: [SettingInfo]
  private let make: @Sendable ([String: SettingValue], FilePolicy) -> any RenderTap

  /// - Parameter make: Makes a tap from settings without `problems(with:)`.
  public init(
    kind: String, summary: String, settings: [SettingInfo],
    make: @escaping @Sendable ([String: SettingValue], FilePolicy) -> any RenderTap
  ) {
    self.kind = kind
    self.summary = summary
    self.settings = settings
    self.make = make
  }

  /// The problems of settings that do not depend on the bus or on files; for others see
  /// `RenderTap.problems(for:)`.
  public func problems(with values: [String: SettingValue]) -> [CallbackProblem] {
    let found = SettingInfo.problems(with: values, settings: settings, of: "a '\(kind)' tap")
    guard found.isEmpty, case .text(let path)? = values["path"] else { return found }
    // The braces of a path are checked here, before there is a tap.
    do throws(CallbackProblem) {
      _ = try TakeName(path)
      return []
    } catch {
      return [error]
    }
  }

  /// Makes a tap. Missing settings have their defaults.
  ///
  /// - Parameters:
  ///   - files: The files that it may write.
  ///   - takes: Shared by all that a run writes; `nil` for none.
  /// - Throws: The first of `problems(with:)`.
  public func makeTap(
    _ values: [String: SettingValue], files: FilePolicy = .user, takes: Takes? = nil
  ) throws(CallbackProblem) -> any RenderTap {
    if let problem = problems(with: values).first { throw problem }
    let tap = make(values, files)
    guard let takes, var writing = tap as? any FileTap else { return tap }
    writing.takes = takes
    return writing
  }
}
