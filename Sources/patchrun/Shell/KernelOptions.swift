import ArgumentParser
import Diagnostics
import RenderCore

/// The option for the kernel class.
struct KernelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The kernel class: the vector instructions that compute the sound. 'baseline' gives "
        + "the same bits on every processor. The default is PATCHRUN_KERNEL, or else the "
        + "widest class of the processor; 'patchrun --version --verbose' lists the classes.",
      valueName: "class"),
    completion: .list(["baseline", "avx2", "avx512", "neon"]),
    transform: { name in
      if let problem = problem(name) { throw ValidationError(problem) }
      return name
    })
  var kernel: String?

  static let variable = "PATCHRUN_KERNEL"

  /// Sets the kernel class. To be called before any computation.
  func apply() throws(CommandFailure) { try Self.apply(kernel) }

  /// Sets the kernel class of this name, or the default for `nil`. To be called before any computation.
  static func apply(_ kernel: String?) throws(CommandFailure) {
    if let kernel {
      _ = VectorMath.choose(kernel)
    } else if let name = environmentVariable(variable), let problem = problem(name) {
      throw CommandFailure(ExitStatus.wrongUsage, "\(variable): \(problem)")
    }
  }

  /// Why a name is no kernel class here; `nil` if it is one.
  static func problem(_ name: String) -> String? {
    let names = VectorMath.names
    return names.contains(name)
      ? nil
      : "this processor has no kernel class \(quoted(name)): it has \(names.joined(separator: ", "))"
  }

  /// The kernel classes, for `--version --verbose`.
  static var summary: String {
    "kernel class: \(VectorMath.name), of \(VectorMath.names.joined(separator: ", "))"
  }
}
