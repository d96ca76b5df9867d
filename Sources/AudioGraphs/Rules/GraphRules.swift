public import AudioTypes

/// The rules of graphs, each in a file beside this one.
public enum GraphRules {
  /// The rule for setting and ramping live settings.
  public static let liveSetting = LiveSettingsMove.rule

  /// The rules of single nodes, in the order of their checks.
  static let ofNodes: [any NodeRule.Type] = [
    SliceFits.self, SlicesOfScreenLock.self, OutputsInStep.self, DevicesKeepPace.self,
    PacesBounded.self,
  ]

  /// All of them.
  public static let all: [Rule] =
    ofNodes.map { $0.rule } + [
      NodesExist.rule, OneOutputUnit.rule, NoSelfConnection.rule, InputsFedOnce.rule,
      OutputsFeedOne.rule, PathsMeetInStep.rule,
      AcyclicConnections.rule, NeededInputsFed.rule, NodesPulled.rule,
      HardwareSides.rule, ConnectionFormats.rule, CallbacksReady.rule, FilesWhole.rule,
      CallbackInputs.rule,
      CallbackFormats.rule,
      TapsReady.rule, TakesOwn.rule, MixersFed.rule, ComponentsFound.rule, GraphStates.rule,
      GraphStates.nothingConnected, CategoryPermits.rule, RampsApart.rule, RampsApart.times,
      LiveSettingsMove.rule, MemoryFits.rule, MemoryFits.response,
    ]
}
