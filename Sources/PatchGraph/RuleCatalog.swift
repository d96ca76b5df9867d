import AudioTypes
import AudioUnits
public import Diagnostics
import PatchSyntax

extension RuleCatalog {
  /// Every rule there is, of the text, of the names and of the graph, by code.
  public static let all: [RuleInfo] =
    (SyntaxRules.all + PatchRules.all + ChangeRules.all + NameRules.all + LimitRules.all
    + CostRules.all + MeasuredLoad.all
    + TimelineRules.all + FileRules.all
    + [Headroom.rule] + PatchNotes.all
    + graph.map(RuleInfo.init(_:)))
    .sorted { $0.code < $1.code }

  /// The rules of a graph that only ever warn: of nodes that nothing pulls, of slices that a locked
  /// screen makes longer, and those of units.
  fileprivate static let warnings: Set<String> = Set(
    ["PR0308", "PR0311", "PR0316", "PR0717"]
      + [
        UnitRules.mixerOutputRate, UnitRules.equalizerRate, UnitRules.equalizerPreset,
        UnitRules.converterChannels, UnitRules.dither,
        UnitRules.spatialDistance, UnitRules.parameterUsualRange, UnitRules.parameterReplaces,
        UnitRules.deviceRate,
      ].map(\.code))
}

extension RuleInfo {
  /// What a rule of the graph says about itself. Which status a violation has is its own affair.
  init(_ rule: Rule) {
    var summary = rule.summary
    if summary.hasSuffix(".") { summary.removeLast() }
    summary = summary.prefix(1).lowercased() + summary.dropFirst()
    self.init(
      Diagnostic.Code(rawValue: rule.code), rule.name, summary,
      severity: RuleCatalog.warnings.contains(rule.code) ? .warning : .error)
  }
}
