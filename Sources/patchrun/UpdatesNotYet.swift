import PatchSyntax

extension PatchDocument {
  /// Refuses what is valid and cannot be run by this version.
  func checkUpdatesCanRun() throws(CommandFailure) {
    guard timeline.contains(where: { $0.update != nil }) else { return }
    throw CommandFailure(
      ExitStatus.worldRefused, "this version of patchrun has no updates in the timeline yet",
      help: ["a \"ramp\" moves a parameter, also at once: { \"path\": …, \"to\": … }"])
  }
}
