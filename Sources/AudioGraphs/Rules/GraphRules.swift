public import AudioTypes

/// The rules of graphs, each in a file beside this one.
public enum GraphRules {
  /// The rule for setting and ramping live settings.
  public static let liveSetting = LiveSettingsMove.rule

  /// All of them.
  public static let all: [Rule] = [
    NodesExist.rule, OneOutputUnit.rule, NoSelfConnection.rule, InputsFedOnce.rule,
    OutputsFeedOne.rule, OutputsInStep.rule, PathsMeetInStep.rule, DevicesKeepPace.rule,
    AcyclicConnections.rule, NeededInputsFed.rule, NodesPulled.rule,
    HardwareSides.rule, ConnectionFormats.rule, SliceFits.rule,
    SlicesOfScreenLock.rule, CallbacksReady.rule, FilesWhole.rule, CallbackInputs.rule,
    CallbackFormats.rule,
    TapsReady.rule, TakesOwn.rule, MixersFed.rule, ComponentsFound.rule, GraphStates.rule,
    GraphStates.nothingConnected, CategoryPermits.rule, RampsApart.rule, RampsApart.times,
    LiveSettingsMove.rule, MemoryFits.rule, MemoryFits.response,
  ]
}
