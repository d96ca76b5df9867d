import ArgumentParser
import Diagnostics
import RenderCore

/// The option for the kernel class.
struct KernelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The kernel class: which vectors of the processor the sound is computed with. 'baseline' gives "
        + "the same bits on every processor. Not given, PATCHRUN_KERNEL or the widest that there is; "
        + "'patchrun --version --verbose' lists them.",
      valueName: "class"),
    completion: .list(["baseline", "avx2", "avx512", "neon"]),
    transform: { name in
      if let problem = problem(name) { throw ValidationError(problem) }
      return name
    })
  var kernel: String?

  static let variable = "PATCHRUN_KERNEL"

  /// Sets the kernel class. To be called before any computation.
  func apply() throws(CommandFailure) {
    if let kernel {
      _ = VectorMath.choose(kernel)
    } else if let name = environmentVariable(Self.variable), let problem = Self.problem(name) {
      throw CommandFailure(ExitStatus.wrongUsage, "\(Self.variable): \(problem)")
    }
  }

  private static func problem(_ name: String) -> String? {
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
