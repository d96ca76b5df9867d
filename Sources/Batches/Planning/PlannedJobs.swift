import Diagnostics
import FileAccess
import PatchSyntax

/// The jobs of a plan: every patch with every file of each input and every value of each list, as
/// often as it is drawn.
public struct PlannedJobs {
  private let plan: BatchPlan
  private let patches: [String]
  /// The files of each input.
  private let files: [[String]]
  /// The counts of patches, files, values and draws.
  private let radices: [Int]
  public let count: Int
  /// Converts the path of a patch or an input.
  private let path: (String) -> String

  /// - Parameters:
  ///   - folder: The folder that patterns and paths are relative to; empty for the working
  ///     directory.
  ///   - path: Converts a path before it is written to the manifest.
  /// - Throws: If the plan gives no job.
  public init(
    _ plan: BatchPlan, in folder: String, path: @escaping (String) -> String = { $0 }
  ) throws(JobFault) {
    self.plan = plan
    self.path = path
    var patches: [String] = []
    for patch in plan.patches {
      let found = FilePattern(patch).files(in: folder)
      guard !found.isEmpty else {
        throw JobFault(BatchRules.plan, "there is no patch \(quoted(patch))")
      }
      patches += found
    }
    guard !patches.isEmpty else {
      throw JobFault(
        BatchRules.plan, "a plan names a patch",
        help: ["\"patch\": \"mix.json\", or a list: \"patches\""])
    }
    var files: [[String]] = []
    for (place, pattern) in plan.inputs {
      let found = pattern.files(in: folder)
      guard !found.isEmpty else {
        throw JobFault(
          BatchRules.plan, "\(quoted(pattern.text)), the input \(quoted(place)), finds no file",
          help: ["put the pattern in quotes, so that the shell leaves it as it is"])
      }
      files.append(found)
    }
    self.patches = patches
    self.files = files
    let values = plan.settings.map { setting in
      if case .each(let values) = setting.choice { values.count } else { 1 }
    }
    radices = [patches.count] + files.map(\.count) + values + [plan.draws]
    var count = 1
    for radix in radices {
      let (product, overflow) = count.multipliedReportingOverflow(by: radix)
      guard !overflow, product <= 1_000_000_000_000 else {
        throw JobFault(BatchRules.plan, "the plan has more than 1,000,000,000,000 jobs")
      }
      count = product
    }
    self.count = count
  }

  /// The factors of the number of jobs, such as `2 patches, 30 files, 5 values of …`.
  public var summary: String {
    var parts = [patches.count == 1 ? "1 patch" : "\(patches.count) patches"]
    for files in files { parts.append(files.count == 1 ? "1 file" : "\(files.count) files") }
    for (setting, radix) in zip(plan.settings, radices.dropFirst(1 + files.count)) where radix > 1 {
      parts.append("\(radix) values of \(setting.pointer)")
    }
    if plan.draws > 1 { parts.append("\(plan.draws) draws") }
    return parts.joined(separator: " × ")
  }

  /// The job with a number from 0 to `count - 1`.
  public func job(_ number: Int) throws(JobFault) -> BatchJob {
    var digits: [Int] = []
    var rest = number
    for radix in radices.reversed() {
      digits.append(rest % radix)
      rest /= radix
    }
    digits.reverse()
    let patch = patches[digits[0]]
    var chosen: [(place: String, file: String, name: String)] = []
    for (index, input) in plan.inputs.enumerated() {
      let file = files[index][digits[1 + index]]
      let name =
        file.hasPrefix(input.pattern.folder)
        ? String(file.dropFirst(input.pattern.folder.count)) : file
      chosen.append((input.place, file, Self.stem(name)))
    }
    let firstValue = 1 + plan.inputs.count
    var names: [String] = patches.count > 1 ? [Self.stem(Self.last(patch))] : []
    names += chosen.indices.filter { files[$0].count > 1 }.map { chosen[$0].name }
    for (index, setting) in plan.settings.enumerated() {
      guard case .each(let values) = setting.choice, values.count > 1 else { continue }
      names.append(Self.word(values[digits[firstValue + index]].compact))
    }
    let draw = digits[digits.count - 1]
    if plan.draws > 1 { names.append("\(draw + 1)") }
    if names.isEmpty { names = [chosen.first?.name ?? Self.stem(Self.last(patch))] }
    var job = plan.common
    job.id = names.joined(separator: ",")
    job.patch = path(patch)
    job.inputs = chosen.map { BatchJob.File($0.place, path($0.file)) }
    job.settings = plan.settings.enumerated().map { index, setting in
      BatchJob.Named(
        setting.pointer,
        setting.choice.value(
          digits[firstValue + index], seed: plan.seed, id: job.id, pointer: setting.pointer))
    }
    let folder = chosen.first.map { FilePolicy.folder(of: $0.name) } ?? ""
    let parts = [
      "id": job.id, "patch": Self.stem(Self.last(patch)),
      "input": chosen.first.map { Self.last($0.name) } ?? "", "folder": folder,
      "draw": "\(draw + 1)", "n": "\(number + 1)",
    ]
    for output in plan.outputs {
      job.outputs.append(.init(output.place, try Self.filled(output.path, parts)))
    }
    try JobReader.check(job)
    return job
  }

  /// Replaces the names in braces.
  static func filled(_ pattern: String, _ parts: [String: String]) throws(JobFault) -> String {
    var text = ""
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{") {
      text += rest[..<open]
      guard let close = rest[open...].firstIndex(of: "}") else {
        throw JobFault(BatchRules.plan, "a brace is not closed in \(quoted(pattern))")
      }
      let name = String(rest[rest.index(after: open)..<close])
      guard let value = parts[name] else {
        throw JobFault(
          BatchRules.plan, "there is no name {\(name)} in \(quoted(pattern))",
          help: [
            didYouMean(name, among: parts.keys.sorted())
              ?? "there are: " + parts.keys.sorted().map { "{\($0)}" }.joined(separator: ", ")
          ])
      }
      text += value
      rest = rest[rest.index(after: close)...]
    }
    text += rest
    // An input without a folder leaves an empty component.
    return text.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
  }

  private static func last(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  private static func stem(_ path: String) -> String {
    let ending = BatchJob.ending(of: path)
    return ending.isEmpty ? path : String(path.dropLast(ending.count + 1))
  }

  /// A value as part of a file name: letters, digits and `+-.`.
  private static func word(_ text: String) -> String {
    String(text.map { $0.isLetter || $0.isNumber || "+-.".contains($0) ? $0 : "_" })
  }
}
