package import AudioTypes
import RenderCore

/// A callback can feed its bus: its file is there, its settings fit.
package enum CallbacksReady {
  package static let rule = Rule(
    "PR0701", "callback/ready",
    "a callback can feed its bus",
    statuses: [
      .fileNotFound, .filePermission, .unsupportedFileType, .unsupportedDataFormat,
      .invalidFileData, .invalidFile, .formatNotSupported, .failedInitialization, .unauthorized,
      .parameterError,
    ],
    page: .init(
      "A callback can feed its bus: its files are there, and its settings fit the format.",
      because: """
        A callback that cannot open its file has only silence to give. It is found before the graph
        starts, for the format that the bus has then: a tone of 30 kHz fits a bus of 96 kHz and not
        one of 44.1. Paths are relative to the patch. Of a native callback only the file is looked at:
        what its library says of itself is known when `run` or `render` has loaded it, and no sooner.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"tone\", \"frequency\": 440", with: "\"file\", \"path\": \"audio/guitar.wav\""),
        wrong: ["audio/guitar.wav": "audio/no-such-file.wav"])))

  static func violations(_ callback: InputCallback, format: StreamFormat) -> [Violation] {
    callback.chain.reversed().enumerated().flatMap { behind, link in
      let problems = link.problems(for: format)
      guard problems.isEmpty else {
        return problems.map { violation($0, callback, behind: behind) }
      }
      return link.warnings(for: format).map { FilesWhole.violation($0, callback, behind: behind) }
    }
  }

  /// The violation of a callback in a chain, `behind` pulls behind the input.
  static func violation(
    _ problem: CallbackProblem, _ callback: InputCallback, behind: Int
  ) -> Violation {
    Violation(
      problem.kind == .responseTooLong ? MemoryFits.response : rule, status: problem.status,
      problem.message,
      at: .init(
        node: callback.destination,
        behind == 0 ? .feed(callback.input) : .callback(callback.input, behind: behind)),
      setting: problem.setting, help: problem.help.isEmpty ? [] : [problem.help])
  }
}
