public import AudioTypes

/// The rules that concern a graph, each in a file of its own beside this one.
public enum GraphRules {
  public static let all: [Rule] = [
    NodesExist.rule, OneOutputUnit.rule, NoSelfConnection.rule, InputsFedOnce.rule,
    OutputsFeedOne.rule, AcyclicConnections.rule, NeededInputsFed.rule, NodesPulled.rule,
    HardwareSides.rule, ConnectionFormats.rule, SliceFits.rule,
    SlicesOfScreenLock.rule, CallbacksReady.rule, CallbackInputs.rule, CallbackFormats.rule,
    TapsReady.rule, ComponentsFound.rule, GraphStates.rule,
    GraphStates.nothingConnected, RampsApart.rule, RampsApart.times,
  ]
}
