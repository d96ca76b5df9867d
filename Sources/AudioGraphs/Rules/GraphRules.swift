public import AudioTypes

/// The rules that concern a graph, each in a file of its own beside this one.
public enum GraphRules {
  /// Of a live setting that is set, or ramped, as it cannot be.
  public static let liveSetting = LiveSettingsMove.rule

  /// A line for each of them.
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
