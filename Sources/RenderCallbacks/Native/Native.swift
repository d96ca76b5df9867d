public import AudioTypes
public import FileAccess
public import RenderCore

/// A callback written in C, or in any language that makes shared libraries: Core Audio's
/// `AURenderCallback`, in the structures of `CPatchrun/include/patchrun.h`.
///
/// Only `makeSource` loads the library; `problems(for:)` reads the file. So `makeSource` can throw
/// for a missing symbol, or where `prepare` refuses, although `problems(for:)` is empty. The
/// library runs unchecked: if it crashes, so does the process, and nothing checks that it keeps the
/// rules of the render thread.
public struct NativeCallback: RenderCallback {
  public static let description = CallbackDescription(
    kind: "native",
    summary: "A C function with the signature of AURenderCallback, in a shared library.",
    input: .optional,
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The library, relative to the patch. It is loaded by run and render alone, with "
          + "--allow-native."),
      SettingInfo(
        "symbol", .symbol, isRequired: true, summary: "The function that fills the buffers."),
      SettingInfo(
        "refCon", .text, defaultValue: .text(""),
        summary: "What it is given first, as a C string, or what 'prepare' is given."),
      SettingInfo(
        "prepare", .symbol,
        summary: "A function that is called before the first slice, and may answer with another "
          + "refCon."),
      SettingInfo("dispose", .symbol, summary: "A function that is called after the last slice."),
      SettingInfo(
        "duration", .number(0...1e9), unit: .seconds,
        summary:
          "How long it lasts; with 'from', how long it goes on after what it pulls has ended. "
          + "Not given: without end, and with 'from' not at all."),
    ],
    make: { values in
      var callback = NativeCallback(
        path: values.text("path") ?? "", symbol: values.text("symbol") ?? "",
        refCon: values.text("refCon") ?? "")
      callback.prepare = values.text("prepare")
      callback.dispose = values.text("dispose")
      callback.duration = values.number("duration")
      callback.files = values.files
      return callback
    })

  /// Absolute, or relative to the process's working directory; no other folder is searched.
  public var path: String
  /// The function that fills each slice.
  public var symbol: String
  /// The text that the function, or `prepare`, is given.
  public var refCon: String
  /// The function that is called before the first slice; `nil` for none.
  public var prepare: String?
  /// The function that is called after the last slice; `nil` for none.
  public var dispose: String?
  /// In seconds; for a processing callback, the tail after its input has ended. `nil` means
  /// endless, or 0 for a processing callback.
  public var duration: Double?
  /// Whether it processes what it pulls.
  public var processes: Bool
  /// Whether the library may be loaded. The program that runs a patch decides.
  public var isAllowed: Bool
  /// The policy that decides whether the file may be opened for a check.
  public var files = FilePolicy.user

  public init(
    path: String, symbol: String, refCon: String = "", processes: Bool = false,
    isAllowed: Bool = false
  ) {
    self.path = path
    self.symbol = symbol
    self.refCon = refCon
    self.processes = processes
    self.isAllowed = isAllowed
  }

  public var input: CallbackInput { processes ? .required : .none }

  public func duration(for format: StreamFormat) -> Int? {
    let seconds = duration ?? (processes ? 0 : nil)
    return seconds.map { Int(($0 * format.sampleRate).rounded()) }
  }

  /// The problems that show without loading the library.
  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var values: [String: SettingValue] = [
      "path": .text(path), "symbol": .text(symbol), "refCon": .text(refCon),
    ]
    values["prepare"] = prepare.map(SettingValue.text)
    values["dispose"] = dispose.map(SettingValue.text)
    values["duration"] = duration.map(SettingValue.number)
    var found = Self.description.problems(with: values) + busProblems(format)
    if found.isEmpty, let problem = LibraryFile.problem(path, files) { found.append(problem) }
    return found
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    guard isAllowed else {
      throw CallbackProblem(
        .badSetting, status: .unauthorized, "the library '\(path)' may not be loaded",
        help: "'--allow-native' allows the libraries that a patch has when it is started",
        setting: "path")
    }
    let instance = try NativeInstance(
      self, format: format, maximumFramesPerSlice: maximumFramesPerSlice)
    return RenderSource(
      kernel: .calling(NativeKernel(instance), with: instance), writesBusWords: true,
      duration: duration(for: format))
  }
}
