public import AudioTypes
import PatchGraph

/// The page about an OSStatus: its constant, its meaning, and the codes that carry it.
public struct StatusExplanation: Hashable, Sendable {
  public var status: Status
  /// The name of the constant. Two constants may have the same number.
  public var name: String
  /// Where the constant is declared: a header, or the part of the system that it comes from.
  public var header: String
  /// The meaning of the status, according to the header and the public documents.
  public var meaning: String

  init(_ name: String, _ number: Int32, in header: String, _ meaning: String) {
    status = Status(rawValue: number)
    self.name = name
    self.header = header
    self.meaning = meaning
  }

  /// The codes whose diagnostics carry the number.
  public var codes: [Rule] { RuleCatalog.all.filter { $0.statuses.contains(status) } }

  /// The number as Core Audio's tools print it, and in decimal where that differs.
  public var numbers: [String] {
    let text = status.number
    let decimal = String(status.rawValue)
    return text == decimal ? [decimal] : [text, decimal]
  }
}

extension StatusExplanation {
  /// The statuses in Apple's headers that a graph can return, by header and number.
  public static let all: [StatusExplanation] = units + graphs + general + files + sessions

  private static let unitHeader = "AudioUnit/AUComponent.h"
  private static let units: [StatusExplanation] = [
    .init(
      "kAudioUnitErr_Unauthorized", -10847, in: unitHeader,
      "The unit is not authorized to be opened or initialized."),
    .init(
      "kAudioUnitErr_InvalidOfflineRender", -10848, in: unitHeader,
      "An offline render was asked for out of order: an offline unit was not prepared for it."),
    .init(
      "kAudioUnitErr_Initialized", -10849, in: unitHeader,
      """
      Refused because the unit is initialized: its largest slice, its number of buses and what is
      switched on are set before that.
      """),
    .init(
      "kAudioUnitErr_PropertyNotInUse", -10850, in: unitHeader,
      "The property is one of the unit's, and has no value now: the name of an element without one."
    ),
    .init(
      "kAudioUnitErr_InvalidPropertyValue", -10851, in: unitHeader,
      """
      The property is right, and its value or its size is not. Remote I/O also returns it on
      initialize where the hardware's rate is 0 Hz: there is no device.
      """),
    .init(
      "kAudioUnitErr_CannotDoInCurrentContext", -10863, in: unitHeader,
      "It cannot be done now, and may be later. AUGraph's constant of this number is the same."),
    .init(
      "kAudioUnitErr_PropertyNotWritable", -10865, in: unitHeader,
      """
      The property cannot be set, or not now: the format of a side that belongs to the hardware, of an
      input that a connection feeds, or of an effect that is initialized.
      """),
    .init(
      "kAudioUnitErr_InvalidScope", -10866, in: unitHeader,
      "The scope is not one that the property or the parameter has."),
    .init(
      "kAudioUnitErr_Uninitialized", -10867, in: unitHeader,
      "The unit has to be initialized first, to render for example."),
    .init(
      "kAudioUnitErr_FormatNotSupported", -10868, in: unitHeader,
      """
      The stream format is refused: when it is set, when two units are connected, or on initialize. Look
      at both ends of the connection.
      """),
    .init(
      "kAudioUnitErr_FileNotSpecified", -10869, in: unitHeader,
      "A unit that plays files was given none."),
    .init(
      "kAudioUnitErr_UnknownFileType", -10870, in: unitHeader,
      "A unit that plays files does not know the type of one."),
    .init(
      "kAudioUnitErr_InvalidFile", -10871, in: unitHeader,
      "A unit that plays files was given one that is not valid."),
    .init(
      "kAudioUnitErr_InstrumentTypeNotFound", -10872, in: unitHeader,
      "Of older instrument units: there is no instrument of the type."),
    .init(
      "kAudioUnitErr_IllegalInstrument", -10873, in: unitHeader,
      "Of older instrument units: the instrument is not valid."),
    .init(
      "kAudioUnitErr_TooManyFramesToProcess", -10874, in: unitHeader,
      """
      A render was asked for more frames than the unit's MaximumFramesPerSlice. On an iPhone mostly
      when the screen is locked, where slices grow to 4096 frames (QA1606).
      """),
    .init(
      "kAudioUnitErr_FailedInitialization", -10875, in: unitHeader,
      "The unit cannot be initialized as it is configured now."),
    .init(
      "kAudioUnitErr_NoConnection", -10876, in: unitHeader,
      "A render needs an input that has neither a connection nor a callback."),
    .init(
      "kAudioUnitErr_InvalidElement", -10877, in: unitHeader,
      "There is no such element: a bus number that the unit does not have. They count from 0."),
    .init(
      "kAudioUnitErr_InvalidParameter", -10878, in: unitHeader,
      "There is no such parameter on this unit and scope."),
    .init(
      "kAudioUnitErr_InvalidProperty", -10879, in: unitHeader,
      "There is no such property on this unit."),
  ]

  private static let graphHeader = "AudioToolbox/AUGraph.h"
  private static let graphs: [StatusExplanation] = [
    .init(
      "kAUGraphErr_NodeNotFound", -10860, in: graphHeader, "The graph does not know the node."),
    .init(
      "kAUGraphErr_InvalidConnection", -10861, in: graphHeader,
      "The two ends cannot be connected."),
    .init(
      "kAUGraphErr_OutputNodeErr", -10862, in: graphHeader,
      """
      A second output unit was added, or the output unit was removed while the graph runs: a graph has
      one.
      """),
    .init(
      "kAUGraphErr_CannotDoInCurrentContext", -10863, in: graphHeader,
      """
      Another thread holds the graph; a later call may succeed. AUGraphStart was also seen to return it
      for a graph that is not initialized.
      """),
    .init(
      "kAUGraphErr_InvalidAudioUnit", -10864, in: graphHeader,
      "Apple documents no meaning. Here: the component of a node is not found."),
  ]

  private static let general: [StatusExplanation] = [
    .init(
      "noErr", 0, in: "MacTypes.h", "Success."),
    .init(
      "kAudio_ParamError", -50, in: "CoreAudioTypes/CoreAudioBaseTypes.h",
      """
      An argument is wrong: a null pointer, or a buffer list that does not fit the format, with one
      buffer for two deinterleaved channels for example.
      """),
    .init(
      "kAudio_UnimplementedError", -4, in: "CoreAudioTypes/CoreAudioBaseTypes.h",
      "The call exists and is not implemented."),
    .init(
      "badComponentInstance", -2_147_450_879, in: "the Component Manager",
      "The instance is no longer valid: AUGraphUninitialize was called after AUGraphClose."),
    .init(
      "badComponentSelector", -2_147_450_878, in: "the Component Manager",
      "The component does not implement the call."),
    .init(
      "invalidComponentID", -3000, in: "the Component Manager",
      "There is no such component to make an instance of."),
  ]

  private static let files: [StatusExplanation] = [
    .init(
      "kAudio_FileNotFoundError", -43, in: "CoreAudioTypes/CoreAudioBaseTypes.h",
      "There is no such file."),
    .init(
      "kAudio_FilePermissionError", -54, in: "CoreAudioTypes/CoreAudioBaseTypes.h",
      "The file may not be opened."),
    .init(
      "kAudioFileUnsupportedFileTypeError", 1_954_115_647, in: "AudioToolbox/AudioFile.h",
      "Files of this type cannot be read or written."),
    .init(
      "kAudioFileUnsupportedDataFormatError", 1_718_449_215, in: "AudioToolbox/AudioFile.h",
      "Files of this type do not hold data of this format."),
    .init(
      "kAudioFileInvalidFileError", 1_685_348_671, in: "AudioToolbox/AudioFile.h",
      "The file is damaged, or is not of the type that it says it is."),
  ]

  private static let sessions: [StatusExplanation] = [
    .init(
      "kAudioSessionIncompatibleCategory", 560_161_140, in: "AudioToolbox/AudioSession.h",
      "The session's category does not permit it: a microphone where there is playback only."),
    .init(
      "kAudioSessionNoHardware", 1_852_794_999, in: "AudioToolbox/AudioSession.h",
      "There is no hardware for it."),
  ]
}
