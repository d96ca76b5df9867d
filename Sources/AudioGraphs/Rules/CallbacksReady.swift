import AudioTypes
import RenderCore

/// A callback can feed its bus: its file is there, its settings fit.
enum CallbacksReady {
  static let rule = Rule("PR0701", "callback/ready", "A callback can feed its bus.")

  static func violations(_ callback: InputCallback, format: StreamFormat) -> [Violation] {
    callback.chain.reversed().enumerated().flatMap { behind, link in
      let problems = link.problems(for: format)
      guard problems.isEmpty else {
        return problems.map { violation($0, callback, behind: behind) }
      }
      return link.warnings(for: format).map { FilesWhole.violation($0, callback, behind: behind) }
    }
  }

  /// What is wrong with a link of a callback's chain: with the one that so many pull it behind.
  static func violation(
    _ problem: CallbackProblem, _ callback: InputCallback, behind: Int
  ) -> Violation {
    Violation(
      problem.kind == .responseTooLong ? MemoryFits.response : rule, status: problem.status,
      problem.message,
      at: .init(
        node: callback.destination,
        behind == 0 ? .feed(callback.input) : .callback(callback.input, behind: behind)),
      setting: problem.setting, help: problem.help.isEmpty ? [] : [problem.help])
  }
}

/// A tap can watch its bus.
enum TapsReady {
  static let rule = Rule("PR0702", "tap/ready", "A tap can watch its bus.")

  static func violations(_ tap: GraphModel.Tap, format: StreamFormat) -> [Violation] {
    tap.tap.problems(for: format).map { problem in
      Violation(
        problem.kind == .notOwn ? TakesOwn.rule : rule, status: problem.status, problem.message,
        at: tap.place, setting: problem.setting,
        help: problem.help.isEmpty ? [] : [problem.help])
    }
  }

  /// Whatever a tap cannot do when it is to begin.
  static func refusal(_ problem: CallbackProblem, _ tap: GraphModel.Tap) -> Violation {
    Violation(
      problem.kind == .notOwn ? TakesOwn.rule : rule, status: problem.status, problem.message,
      at: tap.place, help: problem.help.isEmpty ? [] : [problem.help])
  }

  static func atLoudspeaker(_ node: GraphModel.Node, _ tap: GraphModel.Tap) -> Violation {
    Violation(
      rule, status: .invalidElement,
      "a tap watches what a node puts out; '\(node.name)' gives bus \(tap.output) to its device",
      at: tap.place,
      help: ["put the tap at the node that feeds '\(node.name)'"])
  }
}
