import Diagnostics

/// A request for the version: `--version` or `-V`, with `--verbose` and `--kernel` in any order.
struct VersionRequest: Equatable {
  var isVerbose = false
  /// `nil` for the default.
  var kernel: String?

  private static let names = ["--version", "-V"]
  private static let kernelOption = "--kernel"

  /// Whether the arguments ask for the version of the program, and name no command or patch before.
  /// A request for help is none.
  static func isOne(_ arguments: [String]) -> Bool {
    let options = arguments.prefix { $0 != "--" }
    guard options.first?.hasPrefix("-") == true, !options.contains("--help"),
      !options.contains("-h")
    else { return false }
    return options.contains { names.contains($0) }
  }

  /// - Throws: The failure for anything that has no meaning beside `--version`.
  init(_ arguments: [String]) throws(CommandFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if Self.names.contains(argument) { continue }
      if argument == "--verbose" {
        isVerbose = true
      } else if argument == Self.kernelOption {
        kernel = try Self.kernel(rest.popFirst())
      } else if argument.hasPrefix(Self.kernelOption + "=") {
        kernel = try Self.kernel(String(argument.dropFirst(Self.kernelOption.count + 1)))
      } else {
        throw Self.refusal(of: argument)
      }
    }
  }

  private static func kernel(_ name: String?) throws(CommandFailure) -> String {
    guard let name, !name.hasPrefix("-") else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "'\(kernelOption)' has no value",
        help: ["name the kernel class: \(kernelOption) baseline"])
    }
    if let problem = KernelOptions.problem(name) {
      throw CommandFailure(ExitStatus.wrongUsage, "\(kernelOption): \(problem)")
    }
    return name
  }

  private static func refusal(of argument: String) -> CommandFailure {
    let isOption = argument.hasPrefix("-")
    let known = ["--verbose", kernelOption]
    let near = isOption ? didYouMean(argument, among: known) : nil
    return CommandFailure(
      ExitStatus.wrongUsage,
      "'--version' takes no \(isOption ? "option " : "")\(quoted(argument))",
      help: [near ?? "the version and the kernel class: patchrun --version --verbose"])
  }

  /// The lines that answer the request.
  ///
  /// - Throws: The failure for an unknown kernel class in the environment.
  func text() throws(CommandFailure) -> String {
    let version = "patchrun \(Program.version)\n"
    guard isVerbose else { return version }
    try KernelOptions.apply(kernel)
    return version + KernelOptions.summary + "\n"
  }
}
