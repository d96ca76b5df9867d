public import FileAccess
public import RenderCore

/// Everything that can be said about a kind of tap before there is one: the schema, the listings
/// and the patch reader are made from this.
///
/// Where the tap is (`at`) is not among the settings: each tap has that.
public struct TapDescription: Sendable {
  /// The name in a patch: `record`.
  public var kind: String
  public var summary: String
  /// What can be set, in the order of the reference.
  public var settings: [SettingInfo]
  private let make: @Sendable ([String: SettingValue], FilePolicy) -> any RenderTap

  /// - Parameter make: Makes a tap of settings of which `problems(with:)` has nothing to say.
  public init(
    kind: String, summary: String, settings: [SettingInfo],
    make: @escaping @Sendable ([String: SettingValue], FilePolicy) -> any RenderTap
  ) {
    self.kind = kind
    self.summary = summary
    self.settings = settings
    self.make = make
  }

  /// Everything that is wrong with the settings, whatever the bus; what depends on the bus, and on
  /// files, `RenderTap.problems(for:)` says.
  public func problems(with values: [String: SettingValue]) -> [CallbackProblem] {
    let found = SettingInfo.problems(with: values, settings: settings, of: "a '\(kind)' tap")
    guard found.isEmpty, case .text(let path)? = values["path"] else { return found }
    // The braces of a path are checked before there is a tap.
    do throws(CallbackProblem) {
      _ = try TakeName(path)
      return []
    } catch {
      return [error]
    }
  }

  /// Makes the tap. What is not given has its default.
  ///
  /// - Parameters:
  ///   - files: Which files it may write.
  ///   - takes: What it has in common with what else a run writes; `nil` for nothing.
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
