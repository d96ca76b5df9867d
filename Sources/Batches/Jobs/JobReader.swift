import AudioTypes
import Diagnostics
public import PatchSyntax
import SoundFiles

/// Reads jobs from manifests and plans.
public enum JobReader {
  static let members = [
    "id", "patch", "settings", "inputs", "duration", "output", "format", "quality", "normalize",
    "measure",
  ]

  /// Reads a line of JSON.
  ///
  /// - Throws: The first mistake in the line.
  public static func job(line: [UInt8]) throws(JobFault) -> BatchJob {
    let reading = JSONReader.read(SourceText(name: "line", bytes: line), dialect: .json)
    if let first = reading.diagnostics.first(where: { $0.severity == .error }) {
      throw JobFault(
        BatchRules.line, "column \(first.range.lowerBound + 1): \(first.message.text)",
        help: first.help)
    }
    guard let root = reading.tree?.root, root.kind == .object else {
      throw JobFault(
        BatchRules.line, "a line is an object",
        help: ["{ \"id\": \"1\", \"patch\": \"mix.json\", \"output\": \"1.flac\" }"])
    }
    return try job(root)
  }

  /// Reads an object.
  ///
  /// - Throws: The first mistake in the object.
  public static func job(_ json: JSONValue) throws(JobFault) -> BatchJob {
    var job = BatchJob(id: "", patch: "")
    var seen: Set<String> = []
    for (key, value) in json.members {
      let name = key.string ?? ""
      guard seen.insert(name).inserted else {
        throw JobFault(BatchRules.line, "there are two members \(quoted(name))")
      }
      try read(name, value, into: &job)
    }
    guard !job.id.isEmpty else {
      throw JobFault(
        BatchRules.line, "a job has an id",
        help: ["results and seeded draws go by it: \"id\": \"a1\""])
    }
    guard !job.patch.isEmpty else {
      throw JobFault(BatchRules.line, "job \(quoted(job.id)) names no patch")
    }
    try check(job)
    return job
  }

  /// Reads one member.
  static func read(
    _ name: String, _ value: JSONValue, into job: inout BatchJob
  ) throws(JobFault) {
    switch name {
    case "id": job.id = try text(name, value)
    case "patch": job.patch = try text(name, value)
    case "settings":
      for (key, setting) in try object(name, value) {
        job.settings.append(.init(try pointer(key), JSONText(setting)))
      }
    case "inputs":
      for (key, path) in try object(name, value) {
        let place = key.string == BatchJob.microphone ? BatchJob.microphone : try pointer(key)
        job.inputs.append(.init(place, try text(place, path)))
      }
    case "duration":
      let seconds = try number(name, value)
      guard seconds > 0, seconds <= 1e7 else {
        throw JobFault(BatchRules.line, "\"duration\" is in seconds, above 0")
      }
      job.duration = seconds
    case "output":
      if value.kind == .string {
        job.outputs = [.init(BatchJob.device, try text(name, value))]
      } else {
        job.outputs = try object(name, value).map { key, path throws(JobFault) in
          BatchJob.File(key.string ?? "", try text(key.string ?? "", path))
        }
      }
    case "format": job.format = try format(try text(name, value))
    case "quality":
      let quality = try number(name, value)
      guard (0...1).contains(quality) else {
        throw JobFault(BatchRules.line, "\"quality\" is 0 to 1")
      }
      job.quality = quality
    case "normalize": job.normalizing = try normalizing(value)
    case "measure":
      guard value.kind == .array else {
        throw JobFault(BatchRules.line, "\"measure\" is a list of names")
      }
      job.measures = try value.elements.map { value throws(JobFault) in try text(name, value) }
    default:
      throw JobFault(
        BatchRules.line, "a job has no member \(quoted(name))",
        help: [
          didYouMean(name, among: members) ?? "the members are: " + members.joined(separator: ", ")
        ])
    }
  }

  /// The checks that do not depend on the format of the manifest.
  static func check(_ job: BatchJob) throws(JobFault) {
    for output in job.outputs {
      if let problem = problem(ofOutput: output.path) {
        throw JobFault(BatchRules.output, "the output \(quoted(output.path)) \(problem)")
      }
    }
    for measure in job.measures where SoundMeasurement(rawValue: measure) == nil {
      let names = SoundMeasurement.allCases.map(\.rawValue)
      throw JobFault(
        BatchRules.line, "there is nothing called \(quoted(measure)) to measure",
        help: [
          didYouMean(measure, among: names) ?? "there are: " + names.joined(separator: ", ")
        ])
    }
    let paths = job.outputs.map(\.path)
    guard Set(paths).count == paths.count else {
      throw JobFault(BatchRules.output, "two outputs of job \(quoted(job.id)) are one file")
    }
    if job.normalizing != nil, !job.outputs.contains(where: { $0.place == BatchJob.device }) {
      throw JobFault(
        BatchRules.output, "job \(quoted(job.id)) normalizes no output",
        help: ["what is normalized is the output \"device\""])
    }
  }

  /// Why a path cannot be an output; `nil` if it can.
  private static func problem(ofOutput path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if path.isEmpty || parts.last?.isEmpty == true { return "is no name of a file" }
    if path.hasPrefix("/") { return "begins with '/': it is below the folder of --out" }
    if parts.contains("..") || parts.contains(".") || parts.contains("") {
      return "leads out of the folder of --out, or about"
    }
    if parts[0] == RecordStore.folderName { return "is in the folder of the records" }
    if path.utf8.contains(0) { return "has a character that no path has" }
    return nil
  }

  // MARK: Values

  static func text(_ name: String, _ value: JSONValue) throws(JobFault) -> String {
    guard let text = value.string, !text.isEmpty else {
      throw JobFault(BatchRules.line, "\(quoted(name)) is a text that is not empty")
    }
    return text
  }

  static func number(_ name: String, _ value: JSONValue) throws(JobFault) -> Double {
    guard let number = value.number, number.isFinite else {
      throw JobFault(BatchRules.line, "\(quoted(name)) is a number")
    }
    return number
  }

  static func object(
    _ name: String, _ value: JSONValue
  ) throws(JobFault) -> [(JSONValue, JSONValue)] {
    guard value.kind == .object else {
      throw JobFault(BatchRules.line, "\(quoted(name)) is an object")
    }
    return value.members.map { ($0.key, $0.value) }
  }

  static func pointer(_ key: JSONValue) throws(JobFault) -> String {
    let text = key.string ?? ""
    guard let pointer = JSONPointer(parsing: text), !pointer.tokens.isEmpty else {
      throw JobFault(
        BatchRules.settings, "\(quoted(text)) is no JSON Pointer",
        help: ["write \"/nodes/mixer/inputs/0/parameters/volume\", for example"])
    }
    return text
  }

  static func format(_ text: String) throws(JobFault) -> FileSampleType {
    guard let type = FileSampleType(rawValue: text) else {
      let names = FileSampleType.allCases.map(\.rawValue)
      throw JobFault(
        BatchRules.line, "there is no format \(quoted(text))",
        help: [
          didYouMean(text, among: names) ?? "the formats are: " + names.joined(separator: ", ")
        ])
    }
    return type
  }

  static func normalizing(_ value: JSONValue) throws(JobFault) -> BatchJob.Normalizing {
    var loudness: Double?
    var peak = -1.0
    for (key, number) in try object("normalize", value) {
      switch key.string {
      case "integratedLoudness": loudness = try self.number("integratedLoudness", number)
      case "truePeakAtMost": peak = try self.number("truePeakAtMost", number)
      default:
        throw JobFault(
          BatchRules.line, "\"normalize\" has no member \(quoted(key.string ?? ""))",
          help: ["the members are: integratedLoudness, truePeakAtMost"])
      }
    }
    guard let loudness, (-70...0).contains(loudness) else {
      throw JobFault(BatchRules.line, "\"integratedLoudness\" is -70 to 0, in LUFS")
    }
    guard (-60...20).contains(peak) else {
      throw JobFault(BatchRules.line, "\"truePeakAtMost\" is -60 to 20, in dBTP")
    }
    return .init(integratedLoudness: loudness, truePeakAtMost: peak)
  }
}
