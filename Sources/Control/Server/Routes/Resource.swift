import NIOHTTP1

/// The resources of the server.
enum Resource: String, CaseIterable {
  case index = "/"
  case patch = "/patch"
  case status = "/status"
  case meters = "/meters"
  case controls = "/controls"
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
        + "PATCH takes a JSON Patch or a merge patch; If-Match makes sure of what is changed"
    case .status: "how it plays"
    case .meters: "what taps and metered buses read"
    case .controls:
      "everything that can be turned: what it is, and what it says now; with ?form=kinds what many have "
        + "in common once, with ?form=values what they say alone"
    case .drawing: "a drawing of the graph that plays, to be put into a page"
    case .response: "with ?node=eq how loud an equalizer lets each frequency through"
    case .events:
      "what happens, as server-sent events; with ?meters=10 the meters ten times a second"
    case .metrics: "the same figures for Prometheus"
    case .shares: "what each part of the graph takes of the time that rendering takes"
    case .takes:
      "the recordings that this run has finished, or with ?number=1 the file of one of them"
    case .validate: "what would be wrong with a document: nothing changes"
    case .language:
      "what an editor asks about a document, by the Language Server Protocol: nothing changes"
    case .history: "what has been changed since the run began"
    case .undo:
      "take the last change back; with ?to=3 play what was heard after step 3, with ?to=0 what played first"
    case .redo: "do again what was taken back"
    case .save: "write what is set to the file of the patch"
    case .trigger: "with ?callback=song the sound of a callback begins again"
    case .pause: "fade out, and stay silent where it is"
    case .start: "go on from there"
    case .stop: "fade out, finish the files, end"
    }
  }
}
