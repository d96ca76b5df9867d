import NIOHTTP1

/// The resources of the server.
enum Resource: String, CaseIterable {
  case index = "/"
  case patch = "/patch"
  case status = "/status"
  case meters = "/meters"
  case controls = "/controls"
  case units = "/units"
  case drawing = "/graph.svg"
  case response = "/response"
  case events = "/events"
  case metrics = "/metrics"
  case shares = "/shares"
  case takes = "/takes"
  case validate = "/validate"
  case language = "/language"
  case history = "/history"
  case undo = "/undo"
  case redo = "/redo"
  case save = "/save"
  case trigger = "/trigger"
  case pause = "/pause"
  case start = "/start"
  case stop = "/stop"

  var methods: [HTTPMethod] {
    switch self {
    case .patch: [.GET, .PUT, .PATCH, .DELETE]
    case .validate, .language, .undo, .redo, .save, .trigger, .pause, .start, .stop: [.POST]
    default: [.GET]
    }
  }

  var allowed: [HTTPMethod] {
    // An event stream has no HEAD.
    (methods.contains(.GET) && self != .events ? [.HEAD] : []) + methods + [.OPTIONS]
  }

  /// The allowed names of query items.
  var queryNames: Set<String> {
    switch self {
    case .patch: ["pointer"]
    case .events: ["meters", "bands", "prefader"]
    case .controls: ["form"]
    case .response: ["node"]
    case .takes: ["number"]
    case .trigger: ["callback"]
    case .undo: ["to"]
    default: []
    }
  }

  var summary: String {
    switch self {
    case .index: "this list"
    case .patch:
      "the document that plays, or with ?pointer=/nodes/mixer a value of it: GET, PUT and DELETE; "
        + "PATCH takes a JSON Patch or a merge patch; with If-Match only the document with that tag "
        + "changes"
    case .status: "the state of the run: position, device, load, underruns, what was lost"
    case .meters: "the readings of taps and metered buses"
    case .controls:
      "all parameters and properties that can be set, with their descriptions and values; with "
        + "?form=kinds the shared parts of descriptions once, with ?form=values only the values"
    case .units: "the kinds of unit that a node can have, each with the number of its buses"
    case .drawing: "a drawing of the graph that plays, as SVG for a page"
    case .response: "with ?node=eq the frequency response of an equalizer or filter"
    case .events:
      "events, as server-sent events; with ?meters=10 also the meters ten times a second"
    case .metrics: "status and meters in the format of Prometheus"
    case .shares: "the share of each part of the graph in the render time"
    case .takes:
      "the recordings that this run has finished, or with ?number=1 the file of one of them"
    case .validate: "the diagnostics of a document: nothing changes"
    case .language:
      "answers to an editor's requests by the Language Server Protocol: nothing changes"
    case .history: "the changes since the run began"
    case .undo:
      "undo the last change; with ?to=3 play the document after step 3, with ?to=0 the first one"
    case .redo: "redo the last change that was undone"
    case .save: "write the current settings to the file of the patch"
    case .trigger: "with ?callback=song start the sound of a callback again"
    case .pause: "fade out, and pause at this position"
    case .start: "continue after a pause, at the same position"
    case .stop: "fade out, finish the files, end"
    }
  }
}
