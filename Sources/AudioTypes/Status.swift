/// The result of a call: Core Audio's `OSStatus`, with its numbers.
public struct Status: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Error {
  public var rawValue: Int32

  @_noLocks
  public init(rawValue: Int32) { self.rawValue = rawValue }

  @_noLocks
  public static func == (left: Status, right: Status) -> Bool { left.rawValue == right.rawValue }

  /// `noErr`: success.
  public static var ok: Status { @_noLocks get { Status(rawValue: 0) } }

  // MARK: Audio units (AUComponent.h)

  /// `kAudioUnitErr_Unauthorized`: the unit must not be used.
  public static var unauthorized: Status { @_noLocks get { Status(rawValue: -10847) } }
  /// `kAudioUnitErr_InvalidOfflineRender`: invalid in the present state of an offline render.
  public static var invalidOfflineRender: Status { @_noLocks get { Status(rawValue: -10848) } }
  /// `kAudioUnitErr_Initialized`: invalid while the unit is initialized.
  public static var initialized: Status { @_noLocks get { Status(rawValue: -10849) } }
  /// `kAudioUnitErr_PropertyNotInUse`: the property has no value now.
  public static var propertyNotInUse: Status { @_noLocks get { Status(rawValue: -10850) } }
  /// `kAudioUnitErr_InvalidPropertyValue`: the property does not accept the value.
  public static var invalidPropertyValue: Status { @_noLocks get { Status(rawValue: -10851) } }
  /// `kAudioUnitErr_CannotDoInCurrentContext`: impossible at this time or on this thread; may be
  /// tried again.
  public static var cannotDoInCurrentContext: Status { @_noLocks get { Status(rawValue: -10863) } }
  /// `kAudioUnitErr_PropertyNotWritable`: the property is read-only, now or always.
  public static var propertyNotWritable: Status { @_noLocks get { Status(rawValue: -10865) } }
  /// `kAudioUnitErr_InvalidScope`: the scope does not have the property or parameter.
  public static var invalidScope: Status { @_noLocks get { Status(rawValue: -10866) } }
  /// `kAudioUnitErr_Uninitialized`: invalid before the unit is initialized.
  public static var uninitialized: Status { @_noLocks get { Status(rawValue: -10867) } }
  /// `kAudioUnitErr_FormatNotSupported`: the element does not accept the stream format.
  public static var formatNotSupported: Status { @_noLocks get { Status(rawValue: -10868) } }
  /// `kAudioUnitErr_FileNotSpecified`: no file was named.
  public static var fileNotSpecified: Status { @_noLocks get { Status(rawValue: -10869) } }
  /// `kAudioUnitErr_UnknownFileType`: the type of the file is unknown.
  public static var unknownFileType: Status { @_noLocks get { Status(rawValue: -10870) } }
  /// `kAudioUnitErr_InvalidFile`: the contents of the file are invalid.
  public static var invalidFile: Status { @_noLocks get { Status(rawValue: -10871) } }
  /// `kAudioUnitErr_TooManyFramesToProcess`: the slice is larger than `maximumFramesPerSlice`.
  public static var tooManyFramesToProcess: Status { @_noLocks get { Status(rawValue: -10874) } }
  /// `kAudioUnitErr_FailedInitialization`: the unit cannot be initialized with its present
  /// settings.
  public static var failedInitialization: Status { @_noLocks get { Status(rawValue: -10875) } }
  /// `kAudioUnitErr_NoConnection`: nothing feeds the input.
  public static var noConnection: Status { @_noLocks get { Status(rawValue: -10876) } }
  /// `kAudioUnitErr_InvalidElement`: the scope has no such element.
  public static var invalidElement: Status { @_noLocks get { Status(rawValue: -10877) } }
  /// `kAudioUnitErr_InvalidParameter`: there is no such parameter.
  public static var invalidParameter: Status { @_noLocks get { Status(rawValue: -10878) } }
  /// `kAudioUnitErr_InvalidProperty`: there is no such property.
  public static var invalidProperty: Status { @_noLocks get { Status(rawValue: -10879) } }

  // MARK: Graphs (AUGraph.h)

  /// `kAUGraphErr_NodeNotFound`: the graph has no such node.
  public static var nodeNotFound: Status { @_noLocks get { Status(rawValue: -10860) } }
  /// `kAUGraphErr_InvalidConnection`: the connection is impossible or does not exist.
  public static var invalidConnection: Status { @_noLocks get { Status(rawValue: -10861) } }
  /// `kAUGraphErr_OutputNodeErr`: the graph has no output unit, or more than one.
  public static var outputNode: Status { @_noLocks get { Status(rawValue: -10862) } }
  /// `kAUGraphErr_InvalidAudioUnit`: the unit cannot be part of a graph.
  public static var invalidAudioUnit: Status { @_noLocks get { Status(rawValue: -10864) } }

  // MARK: General

  /// `paramErr`: an argument is invalid.
  public static var parameterError: Status { @_noLocks get { Status(rawValue: -50) } }
  /// `fnfErr`: the file does not exist.
  public static var fileNotFound: Status { @_noLocks get { Status(rawValue: -43) } }
  /// `permErr`: the file may not be opened.
  public static var filePermission: Status { @_noLocks get { Status(rawValue: -54) } }
  /// `unimpErr`: the function is not implemented.
  public static var unimplemented: Status { @_noLocks get { Status(rawValue: -4) } }
  /// `badComponentInstance`: the object is no component instance.
  public static var badComponentInstance: Status {
    @_noLocks get { Status(rawValue: -2_147_450_879) }
  }
  /// `badComponentSelector`: the component does not support the call.
  public static var badComponentSelector: Status {
    @_noLocks get { Status(rawValue: -2_147_450_878) }
  }
  /// `invalidComponentID`: the component does not exist.
  public static var invalidComponentID: Status { @_noLocks get { Status(rawValue: -3000) } }

  // MARK: Audio session (AudioSession.h)

  /// `'!cat'`: the category does not permit the request.
  public static var incompatibleCategory: Status { @_noLocks get { Status(rawValue: 560_161_140) } }
  /// `'nohw'`: there is no hardware.
  public static var noHardware: Status { @_noLocks get { Status(rawValue: 1_852_794_999) } }

  // MARK: Audio files (AudioFile.h)

  /// `'typ?'`: the type of the file is not supported.
  public static var unsupportedFileType: Status {
    @_noLocks get { Status(rawValue: 1_954_115_647) }
  }
  /// `'fmt?'`: the format of its samples is not supported.
  public static var unsupportedDataFormat: Status {
    @_noLocks get { Status(rawValue: 1_718_449_215) }
  }
  /// `'dta?'`: its data is invalid.
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

  /// The name of the constant in Core Audio's headers; `nil` for none.
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
