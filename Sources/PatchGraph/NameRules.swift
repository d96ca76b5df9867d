import AudioGraphs
public import AudioTypes
import AudioUnits
public import Diagnostics

/// The rules of the names in a patch: what they mean, and whether they mean anything.
public enum NameRules {
  public static let unknownName = RuleInfo(
    "PR0203", "name/known", "an address names a node or a callback of the patch",
    status: .init("kAUGraphErr_NodeNotFound", -10860))
  public static let unknownFormat = RuleInfo(
    "PR0204", "name/stream-format", "a stream format that is named is defined")
  public static let unusedCallback = RuleInfo(
    "PR0205", "name/callback-used", "a callback that is defined feeds something",
    severity: .warning)
  public static let destination = RuleInfo(
    "PR0206", "connection/destination", "a connection ends at a node",
    status: .init("kAUGraphErr_InvalidConnection", -10861))
  public static let callbackBus = RuleInfo(
    "PR0207", "connection/callback-bus", "a callback has no buses to choose from",
    status: .init("kAUGraphErr_InvalidConnection", -10861))
  public static let notYet = RuleInfo(
    "PR0208", "patch/not-yet", "a patch uses what this version of patchrun has")
  public static let callbackKind = RuleInfo(
    "PR0209", "callback/kind", "the kind of a callback is one that there is")
  public static let tapKind = RuleInfo(
    "PR0210", "tap/kind", "the kind of a tap is one that there is")
  public static let setting = RuleInfo(
    "PR0211", "patch/setting", "a setting of a callback or a tap has a name and a value that fit")
  public static let tapPlace = RuleInfo(
    "PR0212", "tap/place", "a tap watches a bus of a node")
  public static let sampleType = RuleInfo(
    "PR0213", "format/sample-type", "the sample type of a stream format is one that a bus carries",
    status: .init("kAudioUnitErr_FormatNotSupported", -10868))
  public static let formatField = RuleInfo(
    "PR0214", "format/field", "the fields of a stream format have names and numbers that exist",
    status: .init("kAudioUnitErr_FormatNotSupported", -10868))
  public static let timelinePath = RuleInfo(
    "PR0215", "timeline/path",
    "a ramp names a parameter of a node, or a setting of a callback, of the patch",
    status: .init("kAudioUnitErr_InvalidParameter", -10878))
  public static let subgraphFile = RuleInfo(
    "PR0221", "subgraph/file", "a sub-graph names a patch that can be read")
  public static let subgraphCircle = RuleInfo(
    "PR0222", "subgraph/circle", "no patch is a sub-graph of itself",
    status: .init("kAUGraphErr_InvalidConnection", -10861))
  public static let subgraphOutput = RuleInfo(
    "PR0223", "subgraph/output", "the output unit of a sub-graph is a Generic Output",
    status: .init("kAUGraphErr_OutputNodeErr", -10862))
  public static let subgraphInside = RuleInfo(
    "PR0225", "subgraph/inside", "what is in a sub-graph is reached by its buses alone",
    status: .init("kAUGraphErr_InvalidConnection", -10861))
  public static let category = RuleInfo(
    "PR0606", "session/category", "the session's category is one that there is",
    status: .init("kAudioSessionIncompatibleCategory", 560_161_140))
  public static let categoryPermits = RuleInfo(
    "PR0607", "session/permits", "the session's category permits what the I/O unit does",
    status: .init("kAudioSessionIncompatibleCategory", 560_161_140))
  public static let preferredRate = RuleInfo(
    "PR0609", "session/rate", "the rate that is preferred is one that hardware can have",
    status: .init("kAudio_ParamError", -50))
  public static let sessionDecision = RuleInfo(
    "PR0610", "session/decision", "what an event makes a session do is something it can")
  public static let bufferDuration = RuleInfo(
    "PR0315", "session/buffer-duration",
    "the duration of a slice that is preferred is one that devices grant, in seconds",
    severity: .warning)
  public static let callbackCircle = RuleInfo(
    "PR0706", "callback/circle", "no callbacks pull one another in a circle",
    status: .init("kAUGraphErr_InvalidConnection", -10861))
  public static let recordingsApart = RuleInfo(
    "PR0703", "tap/files-apart", "what a tap writes has a file of its own")

  public static let takeName = RuleInfo(
    "PR0718", "tap/take-name",
    "the words in braces in the path of what a tap writes are date, time and take",
    status: .init("kAudio_ParamError", -50))

  /// All of them, by code.
  public static let all = [
    unknownName, unknownFormat, unusedCallback, destination, callbackBus, notYet, callbackKind,
    tapKind, setting, tapPlace, sampleType, formatField, timelinePath, subgraphFile, subgraphCircle,
    subgraphOutput, subgraphInside, category, categoryPermits, recordingsApart, callbackCircle,
    preferredRate, sessionDecision, bufferDuration, takeName,
  ]
}

/// Every rule there is, by code: what a catalogue lists.
public enum RuleCatalog {
  /// The rules that a graph keeps, whether a patch says so or a program.
  public static let graph: [Rule] = GraphRules.all + UnitRules.all

  /// The rule of a code.
  public static func rule(_ code: Diagnostic.Code) -> RuleInfo? { all.first { $0.code == code } }
}
