import Foundation

/// The program that was built, in the folder of the tests.
public enum CommandLineTool {
  public static let path: String = {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appendingPathComponent("patchrun").path
  }()

  /// The folder of the patches of the distribution.
  public static let patches = House.root.appending(path: "patches").path

  /// The folder of files in the dialects of other programs, which are made up.
  public static let dialects = House.root.appending(path: "Tests/PatchImportTests/Dialects").path

  /// An environment without a sound server.
  public static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PULSE_SINK", "PULSE_SOURCE"] {
      environment[name] = nil
    }
    environment["PULSE_SERVER"] = "unix:/nowhere/native"
    // The user's own cache is neither used nor changed.
    environment["PATCHRUN_CACHE"] = "off"
    return environment
  }()
}
