import PatchSyntax

/// The answer of `GET /status`.
struct TopStatus: Equatable {
  var title = ""
  var state = ""
  /// The position in seconds at the time of the answer.
  var position = 0.0
  var duration: Double?
  /// The grant of the device in words.
  var grant = ""
  var sampleRate = 0.0
  var load = 0.0
  var peakLoad = 0.0
  var underruns = 0
  var overruns = 0
  var failedSlices = 0
  var lostFrames = 0
  /// Changes that are not heard yet.
  var pendingStages = 0

  init() {}

  init(_ json: JSONValue) {
    title = json["title"]?.string ?? json["file"]?.string ?? ""
    state = json["state"]?.string ?? ""
    position = json["position"]?.number ?? 0
    duration = json["duration"]?.number
    grant = CtlStatus.grant(json["grant"])
    sampleRate = json["grant"]?["sampleRate"]?.number ?? 0
    load = json["load"]?.number ?? 0
    peakLoad = json["peakLoad"]?.number ?? 0
    underruns = json["underruns"]?.integer ?? 0
    overruns = json["overruns"]?.integer ?? 0
    failedSlices = json["failedSlices"]?.integer ?? 0
    lostFrames = json["lostFrames"]?.integer ?? 0
    pendingStages = json["pendingStages"]?.integer ?? 0
  }
}
