public import AudioTypes

extension SettingInfo {
  /// The problems of settings given to `kind`: values that are not accepted, missing settings,
  /// unknown names.
  public static func problems(
    with values: [String: SettingValue], settings: [SettingInfo],
    of kind: @autoclosure () -> String
  ) -> [CallbackProblem] {
    func problem(_ key: String, _ message: String, _ help: String) -> CallbackProblem {
      CallbackProblem(
        .badSetting, status: .parameterError, message, help: help, setting: key)
    }
    var found: [CallbackProblem] = []
    for setting in settings {
      if let value = values[setting.key] {
        if !setting.accepts(value) {
          found.append(problem(setting.key, setting.refusal(of: value), setting.summary))
        }
      } else if setting.isRequired {
        found.append(
          problem(
            setting.key, "\(kind()) needs '\(setting.key)'",
            "'\(setting.key)' is \(setting.expectation): \(setting.summary)"))
      }
    }
    let unknown = values.keys.filter { key in !settings.contains { $0.key == key } }
    for key in unknown.sorted() {
      found.append(
        problem(
          key, "\(kind()) has no setting '\(key)'",
          settings.isEmpty
            ? "\(kind()) has no settings"
            : "its settings are " + settings.map { "'\($0.key)'" }.joined(separator: ", ")))
    }
    return found
  }
}
