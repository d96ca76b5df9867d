import AudioGraphs
import AudioTypes
import Glibc
import PatchGraph
import PatchSyntax

/// The schemas of objects, printed from the grammar that the reader uses.
extension Schema {
  /// The schema of an object.
  ///
  /// - Parameters:
  ///   - summary: A summary in place of the grammar's, for an object that depends on a unit.
  ///   - values: The schemas of members that depend on a unit, by key, in place of the grammar's.
  static func object(
    _ form: ObjectForm, summary: String? = nil, with values: [String: JSONText] = [:]
  ) -> JSONText {
    let required = form.members.filter(\.isRequired).map(\.key)
    var members: [JSONText.Member] = [
      .init("description", .string(summary ?? form.summary)), .init("type", "object"),
    ]
    if !required.isEmpty { members.append(.init("required", .strings(required))) }
    members.append(.init("properties", properties(form, with: values)))
    members.append(.init("additionalProperties", false))
    return .object(members)
  }

  /// The members of an object, followed by those that every object has.
  static func properties(_ form: ObjectForm, with values: [String: JSONText] = [:]) -> JSONText {
    var members = form.members.map { member in
      JSONText.Member(member.key, values[member.key] ?? value(member))
    }
    if form.isRepeatable { members.append(.init("count", copyCount)) }
    members.append(.init("comment", reference("comment")))
    return .object(members)
  }

  private static func value(_ member: MemberForm) -> JSONText {
    let described = JSONText.object([.init("description", .string(member.summary))])
    switch member.value {
    case .schema(let schema): return described.adding(schema)
    case .definition(let name, let fallback):
      guard !member.summary.isEmpty else { return reference(name) }
      return self.described(member.summary, reference(name))
        .adding(fallback.map { ["default": $0] } ?? [:])
    case .words(let list, let fallback):
      return described.adding(fallback.map { ["default": .string($0)] } ?? [:])
        .adding(["enum": .strings(list.words.map(\.word))])
        .adding(["enumDescriptions": .strings(list.words.map(\.summary))])
    case .list(let name):
      return described.adding(["type": "array", "items": reference(name)])
    case .map(let name, let names, let others):
      return map(member.summary, of: name, names: names).adding(others)
    case .level(let most):
      return described.adding([
        "if": ["type": "string"],
        "then": ["type": "string", "pattern": "^[-+]?[0-9]+([.][0-9]+)? ?dB(FS)?$"],
        "else": [
          "type": "number", "exclusiveMinimum": 0, "maximum": .number(pow(10, most / 20)),
        ],
      ])
    case .object(let form): return object(form, summary: member.summary)
    }
  }
}

extension WordList {
  /// A choice of words, with their descriptions for editors.
  fileprivate var words: [(word: String, summary: String)] {
    switch self {
    case .sessionCategories:
      SessionCategory.allCases.map { category in
        (
          category.rawValue,
          category.permitsInput && category.permitsOutput
            ? "Hears and plays."
            : category.permitsInput
              ? "Hears." : category.permitsOutput ? "Plays." : "Neither hears nor plays."
        )
      }
    case .interruptions:
      SessionPolicy.Interruption.allCases.map { ($0.rawValue, $0.summary) }
    case .routeChanges: SessionPolicy.RouteChange.allCases.map { ($0.rawValue, $0.summary) }
    case .deviceLosses: SessionPolicy.DeviceLoss.allCases.map { ($0.rawValue, $0.summary) }
    case .timesWithoutDevice:
      SessionPolicy.TimeWithoutDevice.allCases.map { ($0.rawValue, $0.summary) }
    case .sampleTypes: SampleType.allCases.map { ($0.rawValue, $0.schemaSummary) }
    case .rampCurves: ParameterRamp.Curve.allCases.map { ($0.rawValue, $0.schemaSummary) }
    }
  }
}

extension ParameterRamp.Curve {
  /// Its description for editors.
  fileprivate var schemaSummary: String {
    switch self {
    case .linear: "A straight line."
    case .exponential:
      """
      By the same factor in each frame, as loudness and pitch are heard: both ends are above \
      0, or both below.
      """
    }
  }
}
