import ArgumentParser
import Jobs

/// The option for the number of threads that render, shared by several commands.
struct ThreadOptions: ParsableArguments {
  static let most = 64

  @Option(
    help: ArgumentHelp(
      "The greatest number of threads that render; by default the number of processors. "
        + "More than one is used if a patch has enough independent branches, or mixes many inputs, "
        + "and in a live run if one thread is loaded. The samples are the same.",
      valueName: "count"))
  var threads: Int?

  /// The greatest number of threads.
  var count: Int { Self.count(threads) }

  /// The number that was asked for, or else the default.
  static func count(_ asked: Int?) -> Int { asked ?? min(processorCount, most) }

  func validate() throws {
    if let threads, !(1...Self.most).contains(threads) {
      throw ValidationError("--threads is 1 to \(Self.most), not \(threads)")
    }
  }
}
