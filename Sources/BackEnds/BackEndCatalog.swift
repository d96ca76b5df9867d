import PulseIO
public import RenderHost

/// The audio back ends. No other file names one.
public enum BackEndCatalog {
  /// One line for each. The first is the default.
  public static let all: [any AudioBackEnd] = [
    PulseBackEnd(),
    PipeBackEnd(),
  ]

  public static var standard: any AudioBackEnd { all[0] }

  /// - Parameter name: The name of a back end that exists.
  public static func named(_ name: String) -> any AudioBackEnd {
    guard let found = all.first(where: { $0.name == name }) else {
      preconditionFailure("there is no back end '\(name)'")
    }
    return found
  }
}
