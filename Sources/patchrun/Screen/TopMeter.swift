import PatchSyntax

/// The meter of a tap or a bus, from `GET /meters` or the event `meters`.
struct TopMeter: Equatable {
  /// Levels in decibels; minus infinity for silence.
  struct Level: Equatable {
    var average: Double
    var peak: Double
  }

  struct Loudness: Equatable {
    var momentary = -Double.infinity
    var shortTerm = -Double.infinity
    var integrated = -Double.infinity
    var range = 0.0
    /// One for each channel.
    var truePeaks: [Double] = []
  }

  /// A unique name: `mix`, `mixer in 0`.
  var name: String
  /// One for each channel.
  var levels: [Level] = []
  var loudness: Loudness?
  /// A level in dBFS for each bin, from 0 Hz to half the sample rate.
  var spectrum: [Double]?
  /// The frequency of the strongest sine in Hz.
  var peakFrequency: Double?

  init(name: String) { self.name = name }

  init(_ json: JSONValue) {
    if let tap = json["tap"]?.string {
      name = tap
    } else if let place = json.placeInMatrix {
      name = "\(json["node"]?.string ?? "") \(place)"
    } else {
      let side = json["scope"]?.string == "input" ? "in" : "out"
      name = "\(json["node"]?.string ?? "") \(side) \(json["element"]?.integer ?? 0)"
    }
    levels = Self.list(json["levels"]).map {
      Level(average: Self.number($0["average"]), peak: Self.number($0["peak"]))
    }
    for reading in Self.list(json["readings"]) {
      let values = Self.list(reading["values"]).map { Self.number($0) }
      let first = values.first ?? -.infinity
      switch reading["name"]?.string {
      case "momentary":
        loudness = loudness ?? Loudness()
        loudness?.momentary = first
      case "shortTerm":
        loudness = loudness ?? Loudness()
        loudness?.shortTerm = first
      case "integrated":
        loudness = loudness ?? Loudness()
        loudness?.integrated = first
      case "range":
        loudness = loudness ?? Loudness()
        loudness?.range = max(0, first)
      case "truePeak":
        loudness = loudness ?? Loudness()
        loudness?.truePeaks = values
      case "spectrum": spectrum = values
      case "peakFrequency": peakFrequency = values.first
      default: break
      }
    }
  }

  /// The meters in `{"meters": […]}`.
  static func all(_ json: JSONValue) -> [TopMeter] { list(json["meters"]).map(TopMeter.init) }

  /// The number of its lines on the screen.
  var lineCount: Int {
    if spectrum != nil { return 4 }
    return loudness != nil ? 2 : max(1, levels.count)
  }

  private static func list(_ value: JSONValue?) -> [JSONValue] {
    value.map { Array($0.elements) } ?? []
  }

  /// A level; `null` is silence.
  private static func number(_ value: JSONValue?) -> Double { value?.number ?? -.infinity }
}
