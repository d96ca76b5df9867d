import AudioGraphs
public import AudioTypes
import AudioUnits
import PatchSyntax
import SoundExpectations

/// All rules, of the text, of the names and of the graph: `patchrun explain` lists them.
public enum RuleCatalog {
  /// The rules that a graph checks, whether a patch or a program has made it.
  public static let graph: [Rule] = GraphRules.all + UnitRules.all

  /// All rules, by code.
  public static let all: [Rule] =
    (SyntaxRules.all + PatchRules.all + ChangeRules.all + CostRules.all + ImportRules.all
    + NameRules.all
    + LimitRules.all + TimelineRules.all + FileRules.all
    + [Headroom.rule, MeasuredLoad.rule] + ExpectationRules.all + BatchRules.all + graph)
    .sorted { $0.code < $1.code }

  private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

  /// The rule of a code; `nil` where there is none.
  public static func rule(_ code: Rule.Code) -> Rule? { byCode[code] }
}
