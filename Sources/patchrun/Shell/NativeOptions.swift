import ArgumentParser
import Diagnostics
import PatchGraph

/// The option that allows loading native libraries.
struct NativeOptions: ParsableArguments {
  @Flag(help: "Load the libraries that the patch's native callbacks name, and call them.")
  var allowNative = false

  var nativeCode: NativeCode { allowNative ? .allowed : .refused }
}

extension NativeCode {
  /// Reports the libraries that the patch loads, or throws.
  func check(
    _ patch: BuiltPatch, _ appearance: some Appearance, quiet: Bool
  ) throws(CommandFailure) {
    var seen: Set<BuiltPatch.Library> = []
    let libraries = patch.libraries.filter { seen.insert($0).inserted }
    guard !libraries.isEmpty else { return }
    let names = listed(libraries.map { "\(quoted($0.path)) (\($0.symbol))" })
    guard self == .allowed else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "the patch calls native code, which has not been allowed: \(names)",
        help: [
          "'--allow-native' allows it, if you trust whoever wrote it: it can do all that you can"
        ])
    }
    if !quiet { appearance.report("note", "the patch calls native code: \(names)") }
  }
}
