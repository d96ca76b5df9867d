public import AudioTypes
public import FileAccess
public import RenderCore

/// A callback that is written in C, or in anything that makes shared libraries: Core Audio's
/// `AURenderCallback`, in the structures of `CPatchrun/include/patchrun.h`.
///
/// The library is loaded by `makeSource`, and by nothing else: `problems(for:)` looks at the file alone.
/// So what only loading shows, a symbol that is missing or a refusal of `prepare`, is thrown there
/// although there have been no problems. What the library does is its own affair: if it crashes, so does
/// the process, and what it may not do on the render thread nobody checks.
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

  /// Absolute, or relative to the process's working directory; never looked for elsewhere.
  public var path: String
  /// The function that fills each slice.
  public var symbol: String
  /// What that is handed, as text.
  public var refCon: String
  /// The function that is called before the first slice; `nil` for none.
  public var prepare: String?
  /// The function that is called after the last slice; `nil` for none.
  public var dispose: String?
  /// In seconds; of one that processes, what it adds to what it pulls.
  public var duration: Double?
  /// Whether it is given what it pulls.
  public var processes: Bool
  /// Whether the library may be loaded: whoever asks for a patch to be run decides.
  public var isAllowed: Bool
  /// Whether the file may be opened, to be looked at.
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

  /// Everything that can be said without loading the library.
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
