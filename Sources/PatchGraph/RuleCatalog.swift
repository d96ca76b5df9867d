import AudioGraphs
public import AudioTypes
import AudioUnits
import PatchSyntax
import SoundExpectations

/// Every rule there is, of the text, of the names and of the graph: what `patchrun explain` lists.
public enum RuleCatalog {
  /// The rules that a graph keeps, whether a patch says so or a program.
  public static let graph: [Rule] = GraphRules.all + UnitRules.all

  /// All of them, by code.
  public static let all: [Rule] =
    (SyntaxRules.all + PatchRules.all + ChangeRules.all + CostRules.all + ImportRules.all
    + NameRules.all
    + LimitRules.all + TimelineRules.all + FileRules.all
    + [Headroom.rule, MeasuredLoad.rule] + ExpectationRules.all + BatchRules.all + graph)
    .sorted { $0.code < $1.code }

  private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

  /// The rule of a code.
  public static func rule(_ code: Rule.Code) -> Rule? { byCode[code] }
}
