import AudioTypes
public import Diagnostics
public import FileAccess
import PatchSyntax

/// A plan: the combinations of its patches, inputs and settings are the jobs of a batch.
public struct BatchPlan: Sendable {
  public var patches: [String] = []
  /// The place of each input, and the pattern of its files.
  public var inputs: [(place: String, pattern: FilePattern)] = []
  public var settings: [(pointer: String, choice: SettingChoice)] = []
  /// How often each combination is drawn.
  public var draws = 1
  public var seed = 0
  /// The places of outputs, and their paths with names in braces.
  public var outputs: [BatchJob.File] = []
  /// The members that all jobs share.
  public var common = BatchJob(id: "", patch: "")

  public init() {}

  static let members = [
    "$schema", "comment", "patch", "patches", "inputs", "settings", "draws", "seed", "output",
    "duration", "format", "quality", "normalize", "measure",
  ]

  // MARK: Reading

  /// Reads a plan: NAME.batch.json.
  ///
  /// - Throws: The first mistake in the plan.
  public init(_ source: SourceText) throws(JobFault) {
    let reading = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name))
    if let first = reading.diagnostics.first(where: { $0.severity == .error }) {
      let place = source.position(of: first.range.lowerBound)
      throw JobFault(
        BatchRules.plan, "\(source.name):\(place): \(first.message.text)", help: first.help)
    }
    guard let root = reading.tree?.root, root.kind == .object else {
      throw JobFault(BatchRules.plan, "\(source.name): a plan is an object")
    }
    for (key, value) in root.members {
      do throws(JobFault) { try read(key.string ?? "", value) } catch {
        var fault = error
        fault.message =
          "\(source.name):\(source.position(of: key.localRange.lowerBound)): "
          + fault.message
        throw fault
      }
    }
  }

  private mutating func read(_ name: String, _ value: JSONValue) throws(JobFault) {
    switch name {
    case "$schema", "comment": break
    case "patch": patches.append(try JobReader.text(name, value))
    case "patches":
      guard value.kind == .array else {
        throw JobFault(BatchRules.plan, "\"patches\" is a list of paths or patterns")
      }
      for element in value.elements { patches.append(try JobReader.text(name, element)) }
    case "inputs":
      for (key, pattern) in try JobReader.object(name, value) {
        let place =
          key.string == BatchJob.microphone ? BatchJob.microphone : try JobReader.pointer(key)
        inputs.append((place, FilePattern(try JobReader.text(place, pattern))))
      }
    case "settings":
      for (key, setting) in try JobReader.object(name, value) {
        let pointer = try JobReader.pointer(key)
        settings.append((pointer, try SettingChoice(setting, of: pointer)))
      }
    case "draws": draws = try Self.count(name, value, 1...1_000_000_000)
    case "seed": seed = try Self.count(name, value, 0...(1 << 53))
    case "output":
      if let text = value.string {
        outputs = [.init(BatchJob.device, text)]
      } else {
        outputs = try JobReader.object(name, value).map { key, path throws(JobFault) in
          BatchJob.File(key.string ?? "", try JobReader.text(key.string ?? "", path))
        }
      }
    case "duration", "format", "quality", "normalize", "measure":
      try JobReader.read(name, value, into: &common)
    default:
      throw JobFault(
        BatchRules.plan, "a plan has no member \(quoted(name))",
        help: [
          didYouMean(name, among: Self.members)
            ?? "the members are: " + Self.members.joined(separator: ", ")
        ])
    }
  }

  private static func count(
    _ name: String, _ value: JSONValue, _ range: ClosedRange<Int>
  ) throws(JobFault) -> Int {
    guard let number = value.integer, range.contains(number) else {
      throw JobFault(
        BatchRules.plan,
        "\(quoted(name)) is a whole number, \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  // MARK: Flags

  /// Adds a setting from `--set`. A value that is not JSON is a string.
  ///
  /// - Throws: If there is no JSON Pointer before `=`.
  public mutating func add(setting text: String) throws(JobFault) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let pointer = JSONPointer(parsing: String(parts[0])),
      !pointer.tokens.isEmpty
    else {
      throw JobFault(
        BatchRules.settings, "\(quoted(text)) is no setting",
        help: ["write --set /nodes/mixer/inputs/0/parameters/volume=0.5, for example"])
    }
    let reading = JSONReader.read(SourceText(name: "--set", text: String(parts[1])), dialect: .json)
    if !reading.hasErrors, let root = reading.tree?.root {
      settings.append((String(parts[0]), try SettingChoice(root, of: String(parts[0]))))
    } else {
      settings.append((String(parts[0]), .fixed(.string(String(parts[1])))))
    }
  }

  /// Adds an input from `--input`: `POINTER=PATTERN`, or a pattern for the microphone.
  public mutating func add(input text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[0].hasPrefix("/"),
      !FolderListing.exists(text), JSONPointer(parsing: String(parts[0])) != nil
    {
      inputs.append((String(parts[0]), FilePattern(String(parts[1]))))
    } else {
      inputs.append((BatchJob.microphone, FilePattern(text)))
    }
  }
}
