public import PatchSyntax
public import SoundFiles

/// A job of a batch: a line of the manifest.
public struct BatchJob: Sendable, Hashable {
  /// A name with a value, in the order of the line.
  public struct Named: Sendable, Hashable {
    public var name: String
    public var value: JSONText

    public init(_ name: String, _ value: JSONText) {
      self.name = name
      self.value = value
    }
  }

  /// A file that the job reads or writes.
  public struct File: Sendable, Hashable {
    /// Of an input: the JSON Pointer of the path in the patch, or `microphone`. Of an output:
    /// `device`, the address of a bus such as `mixer:0`, or the JSON Pointer of a tap's path.
    public var place: String
    /// Of an input: relative to the manifest. Of an output: below the folder of the batch.
    public var path: String

    public init(_ place: String, _ path: String) {
      self.place = place
      self.path = path
    }
  }

  /// The normalization of the output.
  public struct Normalizing: Sendable, Hashable {
    /// The target in LUFS.
    public var integratedLoudness: Double
    /// The limit in dBTP.
    public var truePeakAtMost: Double = -1
  }

  /// The place of an input that the microphone hears.
  public static let microphone = "microphone"
  /// The place of the output that the output unit plays.
  public static let device = "device"

  public var id: String
  /// The path relative to the manifest.
  public var patch: String
  public var settings: [Named] = []
  public var inputs: [File] = []
  /// Seconds; `nil` to render until the patch ends.
  public var duration: Double?
  public var outputs: [File] = []
  public var format: FileSampleType?
  /// The quality of lossy compression, from 0 to 1.
  public var quality: Double?
  public var normalizing: Normalizing?
  /// Names of `SoundMeasurement` cases.
  public var measures: [String] = []

  /// The line of the manifest.
  public var json: JSONText {
    var members: [JSONText.Member] = [
      .init("id", .string(id)), .init("patch", .string(patch)),
    ]
    if !settings.isEmpty {
      members.append(.init("settings", .object(settings.map { .init($0.name, $0.value) })))
    }
    if !inputs.isEmpty { members.append(.init("inputs", Self.json(inputs))) }
    if let duration { members.append(.init("duration", .number(duration))) }
    if outputs.count == 1, outputs[0].place == Self.device {
      members.append(.init("output", .string(outputs[0].path)))
    } else if !outputs.isEmpty {
      members.append(.init("output", Self.json(outputs)))
    }
    if let format { members.append(.init("format", .string(format.rawValue))) }
    if let quality { members.append(.init("quality", .number(quality))) }
    if let normalizing {
      members.append(
        .init(
          "normalize",
          [
            "integratedLoudness": .number(normalizing.integratedLoudness),
            "truePeakAtMost": .number(normalizing.truePeakAtMost),
          ]))
    }
    if !measures.isEmpty { members.append(.init("measure", .strings(measures))) }
    return .object(members)
  }

  private static func json(_ files: [File]) -> JSONText {
    .object(files.map { .init($0.place, .string($0.path)) })
  }

  /// The job as JSON with only the members that decide how outputs are written. Of the paths only
  /// the extensions are kept.
  var outputOptions: JSONText {
    var job = self
    job.id = ""
    job.patch = ""
    job.settings = []
    job.inputs = []
    job.outputs = outputs.map { File($0.place, Self.ending(of: $0.path)) }
    return job.json
  }

  /// The file name extension in lower case, without the dot.
  static func ending(of path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "" }
    return path[dot...].dropFirst().lowercased()
  }
}
