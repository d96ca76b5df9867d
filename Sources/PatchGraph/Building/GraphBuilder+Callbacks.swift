import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import PatchSyntax
import RenderCallbacks
import RenderCore

extension GraphBuilder {
  // MARK: Callbacks

  mutating func addCallback(_ member: PatchDocument.Member<PatchDocument.Callback>) {
    guard let kind = member.value.kind else {
      doubts.names.insert(member.name)
      doubts.raise(.gaps)
      return
    }
    guard let description = CallbackCatalog.description(of: kind.value) else {
      doubts.names.insert(member.name)
      doubts.raise(.gaps)
      let names = CallbackCatalog.standard.map(\.kind)
      report(
        NameRules.callbackKind.diagnostic(
          "there is no callback of the kind \(quoted(kind.value))", at: kind.range,
          pointer: kind.pointer,
          help: [Synonyms.didYouMean(kind.value, among: names, knownAs: Synonyms.callbacks)]
            .compactMap(\.self) + ["the kinds are: " + names.joined(separator: ", ")],
          fixes: kind.json.correction(of: kind.value, among: names)))
      return
    }
    // "from" is what the callback pulls, unless the kind has a setting of that name.
    let pulls = description.settings.contains { $0.key == "from" } ? [] : ["from"]
    let source = member.value.fields.first { pulls.contains($0.name) }?.value
    guard
      let values = settings(
        member.value.fields.filter { !pulls.contains($0.name) }, description.settings,
        owner: member.value.json, turned: member.value.turnedMembers,
        problems: description.problems)
    else {
      doubts.names.insert(member.name)
      doubts.raise(.gaps)
      return
    }
    guard var callback = try? description.makeCallback(values, files: surroundings.files) else {
      return
    }
    if var convolution = callback as? ConvolutionCallback {
      convolution.longestResponse = Double(limits.seconds)
      callback = convolution
    }
    if let native = callback as? NativeCallback {
      libraries.append(.init(path: native.path, symbol: native.symbol))
      callback = native.allowed(
        by: surroundings.nativeCode, processes: source != nil || member.value.pulled != nil)
      reportLateLibrary(native, member)
    }
    let paths = description.settings.filter { $0.kind == .path }.compactMap { setting in
      values[setting.key].flatMap { value -> (String, JSONValue)? in
        guard case .text(let path) = value else { return nil }
        let field = member.value.fields.first { $0.name == setting.key }
        return (path, field?.value ?? member.value.json)
      }
    }
    for (path, _) in paths {
      inputFiles.append(path)
      namedFiles.addRead(path)
    }
    guard mayRead(paths) else {
      doubts.names.insert(member.name)
      doubts.raise(.gaps)
      return
    }
    let built = BuiltCallback(
      member, .init(name: member.name, description, values, callback),
      index: madeCallbacks.count)
    callbacks[member.name] = built
    madeCallbacks.append(built)
    if let pulled = member.value.pulled, callback.input != .none {
      built.from = pulled
    } else if let source {
      setFeed(built, source)
    } else if callback.input == .required {
      fail(member.name)
      reportNothingToPull(member, isExpression: description.input == .optional)
    }
  }

  /// Reads the settings of a callback or a tap, and joins paths to the directory of their patch.
  /// Returns `nil` where a setting is wrong.
  mutating func settings(
    _ fields: [PatchDocument.Field], _ infos: [SettingInfo], owner: JSONValue,
    isWritten: Bool = false, turned: [String: [PatchDocument.Field]] = [:],
    problems: ([String: SettingValue]) -> [CallbackProblem]
  ) -> [String: SettingValue]? {
    var values: [String: SettingValue] = [:]
    var isWhole = true
    var refused: Set<String> = []
    var resolvedBytes: [String: Int] = [:]
    for (key, value) in owner.members where value.kind == .invalid {
      guard let name = key.string else { continue }
      isWhole = false
      refused.insert(name)
      values[name] = infos.first { $0.key == name }?.defaultValue ?? .text(" ")
    }
    for field in fields {
      let info = infos.first { $0.key == field.name }
      if info?.kind == .numbers, field.value.kind == .object {
        var (numbers, areNumbers) = numbers(field.value)
        if !areNumbers { isWhole = false }
        for member in turned[field.name] ?? [] { numbers[member.name] = member.value.number }
        values[field.name] = .numbers(numbers)
      } else if case .text(let text)? = scalar(field.value, info) {
        let isPath = info?.kind == .path && !text.isEmpty
        let value = isPath ? resolved(text, in: field.value, isWritten: isWritten) : text
        values[field.name] = .text(value)
        // The length of the directory in front of the written path: ranges of problems are moved
        // back by it.
        resolvedBytes[field.name] = value.utf8.count - text.utf8.count
      } else if let value = scalar(field.value, info) {
        values[field.name] = value
      } else {
        isWhole = false
        refused.insert(field.name)
        if field.value.kind != .invalid {
          report(
            NameRules.setting.diagnostic(
              "\(quoted(field.name)) takes \(info?.expectation ?? "a number or a text")",
              at: field.value.markRange, pointer: field.value.pointer.description))
        }
        values[field.name] = info?.defaultValue ?? .text(" ")
      }
    }
    let found = problems(values)
    let strange = fields.map { $0.name }.filter { name in !infos.contains { $0.key == name } }
    for candidate in found {
      var problem = candidate
      // A misspelt name is not reported as missing too.
      if let name = problem.setting, infos.contains(where: { $0.key == name }),
        !values.keys.contains(name), !refused.contains(name),
        owner.members.contains(where: { $0.key.kind == .invalid || $0.key.range.isEmpty })
          || strange.contains(where: { !nearMisses(to: $0, among: [name]).isEmpty })
      {
        isWhole = false
        continue
      }
      // A constant is missing because its name was refused: only the refused name is reported.
      if let unknown = problem.unknown,
        found.contains(where: {
          $0.member.map { !nearMisses(to: $0, among: [unknown.name]).isEmpty } ?? false
        })
      {
        isWhole = false
        continue
      }
      let field = problem.setting.flatMap { key in fields.first { $0.name == key } }
      if let name = problem.setting, refused.contains(name) { continue }
      isWhole = false
      let isKnown = infos.contains { $0.key == problem.setting }
      let member = problem.member.flatMap { name in
        field?.value.members.first { $0.key.string == name }?.key
      }
      let place = member ?? field.map { isKnown ? $0.value : $0.key.json } ?? owner
      let guess =
        isKnown
        ? problem.unknown.flatMap { didYouMean($0.name, among: $0.candidates) }
        : problem.setting.flatMap { didYouMean($0, among: infos.map(\.key)) }
      if let name = problem.setting, resolvedBytes[name] != 0 {
        problem.range = problem.range.flatMap { range in
          let more = resolvedBytes[name] ?? 0
          return range.lowerBound >= more
            ? range.lowerBound - more..<range.upperBound - more : nil
        }
      }
      let part = problem.range.flatMap { range in
        place.kind == .string ? place.range(ofText: range) : nil
      }
      let info = problem.member == nil ? infos.first { $0.key == problem.setting } : nil
      let plain = info.flatMap { place.plainForm(for: $0) }
      let rule = problem.kind == .takeName ? NameRules.takeName : NameRules.setting
      report(
        rule.diagnostic(
          .init(problem.message), at: part ?? place.markRange,
          pointer: place.pointer.description,
          help: [guess, plain?.help].compactMap(\.self)
            + (problem.help.isEmpty ? [] : [problem.help]),
          fixes: (plain?.fix).map { [$0] }
            ?? corrections(of: problem, at: place, isKnown: isKnown, infos)))
    }
    return isWhole ? values : nil
  }

  /// A number, a text or a boolean as the value of a setting; one of another type than the setting
  /// takes as it is, for what is said of it.
  private func scalar(_ json: JSONValue, _ info: SettingInfo?) -> SettingValue? {
    info.flatMap { json.value(for: $0) } ?? json.number.map { .number($0) }
      ?? json.bool.map { .boolean($0) } ?? json.string.map { .text($0) }
  }

  /// The fixes for a misspelt name: the name of a setting, or a name in its value.
  func corrections(
    of problem: CallbackProblem, at place: JSONValue, isKnown: Bool, _ infos: [SettingInfo]
  ) -> [Diagnostic.Fix] {
    guard isKnown else {
      return problem.setting.map { place.correction(of: $0, among: infos.map(\.key)) } ?? []
    }
    guard let unknown = problem.unknown else {
      let names = infos.first { $0.key == problem.setting }?.kind.names ?? []
      return place.string.map { place.correction(of: $0, among: names) } ?? []
    }
    guard let part = problem.range else {
      return place.string == unknown.name
        ? place.correction(of: unknown.name, among: unknown.candidates) : []
    }
    guard let text = place.string, part.upperBound <= text.utf8.count,
      String(decoding: Array(text.utf8)[part], as: UTF8.self) == unknown.name
    else { return [] }
    return place.correction(of: unknown.name, among: unknown.candidates, part: part)
  }

  /// The members of an object as numbers, and whether all of them are numbers. A member that is not
  /// a number becomes 0, and is reported.
  mutating func numbers(_ json: JSONValue) -> ([String: Double], Bool) {
    var numbers: [String: Double] = [:]
    var isWhole = true
    for (key, value) in json.members {
      guard let name = key.string, name != "comment", numbers[name] == nil else { continue }
      if let number = value.number, number.isFinite {
        numbers[name] = number
      } else {
        isWhole = false
        numbers[name] = 0
        guard value.kind != .invalid else { continue }
        report(
          NameRules.setting.diagnostic(
            "\(quoted(name)) takes a number", at: value.markRange,
            pointer: value.pointer.description))
      }
    }
    return (numbers, isWhole)
  }

  /// A path joined to the directory of the patch or sub-graph that it is written in.
  ///
  /// - Parameter isWritten: Whether a tap writes the file. Braces in its path are placeholders, so
  ///   those of the directory are doubled.
  func resolved(
    _ path: String, in json: JSONValue, isWritten: Bool = false
  ) -> String {
    let directory =
      document.subgraph(around: json)?.directory
      ?? surroundings.directory
    guard isWritten else { return FilePolicy.join(directory, path) }
    let whole = surroundings.files.outputPath(path, in: directory)
    guard whole.hasSuffix(path) else { return whole }
    let folder = whole.dropLast(path.count)
    return folder.replacing("{", with: "{{").replacing("}", with: "}}") + path
  }
}
