import PipeIO
import PulseIO
import RenderHost

/// The ways to sound. Nothing else in the program names one of them.
enum BackEndCatalog {
  /// A line each. The first is taken where the command line asks for none.
  static let all: [any AudioBackEnd] = [
    PulseBackEnd(),
    PipeBackEnd(),
  ]

  static var standard: any AudioBackEnd { all[0] }

  /// - Parameter name: One that is there.
  static func named(_ name: String) -> any AudioBackEnd {
    guard let found = all.first(where: { $0.name == name }) else {
      preconditionFailure("there is no back end '\(name)'")
    }
    return found
  }
}
