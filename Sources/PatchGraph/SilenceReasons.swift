import AudioGraphs
import AudioUnits
import Diagnostics
import PatchSyntax

extension BuiltPatch {
  /// Why the patch may be silent, as sentences: mixers that nothing feeds, that are switched off or
  /// turned down, and callbacks that are silent. Empty where none is found.
  ///
  /// - Precondition: The patch was built with its notes, and its graph has not been closed.
  public var silenceReasons: [String] {
    var reasons = diagnostics.filter { [MixersFed.rule, UnitRules.inputsOff].contains($0.rule) }
      .map(\.message.text)
    if let graph {
      let configurations = graph.configurations
      for node in graph.nodes {
        guard let info = try? graph.nodeInfo(node), let configuration = configurations[node],
          let unit = info.unit?.unit
        else { continue }
        reasons += unit.silenceReasons(of: "'\(info.name)'", in: configuration)
      }
    }
    for callback in document?.callbacks ?? [] where callback.value.kind?.value == "silence" {
      reasons.append("the callback '\(callback.name)' is of the kind 'silence'")
    }
    for callback in document?.callbacks ?? [] {
      for field in callback.value.fields
      where ["gain", "amplitude"].contains(field.name) && field.value.number == 0 {
        reasons.append("'\(field.name)' of the callback '\(callback.name)' is 0")
      }
    }
    return reasons
  }
}
