/// What a call returns: Core Audio's `OSStatus`, so that a log can be looked up.
public struct Status: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Error {
  public var rawValue: Int32

  @_noLocks
  public init(rawValue: Int32) { self.rawValue = rawValue }

  @_noLocks
  public static func == (left: Status, right: Status) -> Bool { left.rawValue == right.rawValue }

  public static var ok: Status { @_noLocks get { Status(rawValue: 0) } }

  // MARK: Audio units (AUComponent.h)

  public static var unauthorized: Status { @_noLocks get { Status(rawValue: -10847) } }
  public static var invalidOfflineRender: Status { @_noLocks get { Status(rawValue: -10848) } }
  public static var initialized: Status { @_noLocks get { Status(rawValue: -10849) } }
  public static var propertyNotInUse: Status { @_noLocks get { Status(rawValue: -10850) } }
  public static var invalidPropertyValue: Status { @_noLocks get { Status(rawValue: -10851) } }
  public static var cannotDoInCurrentContext: Status { @_noLocks get { Status(rawValue: -10863) } }
  public static var propertyNotWritable: Status { @_noLocks get { Status(rawValue: -10865) } }
  public static var invalidScope: Status { @_noLocks get { Status(rawValue: -10866) } }
  public static var uninitialized: Status { @_noLocks get { Status(rawValue: -10867) } }
  public static var formatNotSupported: Status { @_noLocks get { Status(rawValue: -10868) } }
  public static var fileNotSpecified: Status { @_noLocks get { Status(rawValue: -10869) } }
  public static var unknownFileType: Status { @_noLocks get { Status(rawValue: -10870) } }
  public static var invalidFile: Status { @_noLocks get { Status(rawValue: -10871) } }
  public static var tooManyFramesToProcess: Status { @_noLocks get { Status(rawValue: -10874) } }
  public static var failedInitialization: Status { @_noLocks get { Status(rawValue: -10875) } }
  public static var noConnection: Status { @_noLocks get { Status(rawValue: -10876) } }
  public static var invalidElement: Status { @_noLocks get { Status(rawValue: -10877) } }
  public static var invalidParameter: Status { @_noLocks get { Status(rawValue: -10878) } }
  public static var invalidProperty: Status { @_noLocks get { Status(rawValue: -10879) } }

  // MARK: Graphs (AUGraph.h)

  public static var nodeNotFound: Status { @_noLocks get { Status(rawValue: -10860) } }
  public static var invalidConnection: Status { @_noLocks get { Status(rawValue: -10861) } }
  public static var outputNode: Status { @_noLocks get { Status(rawValue: -10862) } }
  public static var invalidAudioUnit: Status { @_noLocks get { Status(rawValue: -10864) } }

  // MARK: General

  public static var parameterError: Status { @_noLocks get { Status(rawValue: -50) } }
  public static var fileNotFound: Status { @_noLocks get { Status(rawValue: -43) } }
  public static var filePermission: Status { @_noLocks get { Status(rawValue: -54) } }
  public static var unimplemented: Status { @_noLocks get { Status(rawValue: -4) } }
  public static var badComponentInstance: Status {
    @_noLocks get { Status(rawValue: -2_147_450_879) }
  }
  public static var badComponentSelector: Status {
    @_noLocks get { Status(rawValue: -2_147_450_878) }
  }
  public static var invalidComponentID: Status { @_noLocks get { Status(rawValue: -3000) } }

  // MARK: Audio session (AudioSession.h)

  /// The category does not permit what was asked of it: `'!cat'`.
  public static var incompatibleCategory: Status { @_noLocks get { Status(rawValue: 560_161_140) } }
  /// `'nohw'`.
  public static var noHardware: Status { @_noLocks get { Status(rawValue: 1_852_794_999) } }

  // MARK: Audio files (AudioFile.h)

  /// `'typ?'`.
  public static var unsupportedFileType: Status {
    @_noLocks get { Status(rawValue: 1_954_115_647) }
  }
  /// `'fmt?'`.
  public static var unsupportedDataFormat: Status {
    @_noLocks get { Status(rawValue: 1_718_449_215) }
  }
  /// `'dta?'`.
  public static var invalidFileData: Status { @_noLocks get { Status(rawValue: 1_685_348_671) } }

  static let names: [Int32: String] = [
    0: "noErr",
    -10847: "kAudioUnitErr_Unauthorized",
    -10848: "kAudioUnitErr_InvalidOfflineRender",
    -10849: "kAudioUnitErr_Initialized",
    -10850: "kAudioUnitErr_PropertyNotInUse",
    -10851: "kAudioUnitErr_InvalidPropertyValue",
    -10860: "kAUGraphErr_NodeNotFound",
    -10861: "kAUGraphErr_InvalidConnection",
    -10862: "kAUGraphErr_OutputNodeErr",
    -10863: "kAUGraphErr_CannotDoInCurrentContext",
    -10864: "kAUGraphErr_InvalidAudioUnit",
    -10865: "kAudioUnitErr_PropertyNotWritable",
    -10866: "kAudioUnitErr_InvalidScope",
    -10867: "kAudioUnitErr_Uninitialized",
    -10868: "kAudioUnitErr_FormatNotSupported",
    -10869: "kAudioUnitErr_FileNotSpecified",
    -10870: "kAudioUnitErr_UnknownFileType",
    -10871: "kAudioUnitErr_InvalidFile",
    -10872: "kAudioUnitErr_InstrumentTypeNotFound",
    -10873: "kAudioUnitErr_IllegalInstrument",
    -10874: "kAudioUnitErr_TooManyFramesToProcess",
    -10875: "kAudioUnitErr_FailedInitialization",
    -10876: "kAudioUnitErr_NoConnection",
    -10877: "kAudioUnitErr_InvalidElement",
    -10878: "kAudioUnitErr_InvalidParameter",
    -10879: "kAudioUnitErr_InvalidProperty",
    -50: "kAudio_ParamError",
    -43: "kAudio_FileNotFoundError",
    -54: "kAudio_FilePermissionError",
    -4: "kAudio_UnimplementedError",
    -3000: "invalidComponentID",
    -2_147_450_879: "badComponentInstance",
    -2_147_450_878: "badComponentSelector",
    560_161_140: "kAudioSessionIncompatibleCategory",
    1_852_794_999: "kAudioSessionNoHardware",
    1_954_115_647: "kAudioFileUnsupportedFileTypeError",
    1_718_449_215: "kAudioFileUnsupportedDataFormatError",
    1_685_348_671: "kAudioFileInvalidFileError",
  ]

  /// The constant's name in Core Audio's headers, where it has one.
  public var name: String? { Self.names[rawValue] }
}

extension Status: CustomStringConvertible {
  /// The number as Core Audio's tools print it: four printable characters in quotes, or decimal.
  public var number: String {
    FourCharCode(rawValue: UInt32(bitPattern: rawValue)).text.map { "'\($0)'" }
      ?? String(rawValue)
  }

  /// The name and the number: `kAudioUnitErr_FormatNotSupported (-10868)`.
  public var description: String { name.map { "\($0) (\(number))" } ?? number }
}
