import Glibc
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
    case .setting(let info): return SettingSchema.value(info)
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
