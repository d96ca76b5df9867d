import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCore

/// The printed result of `bench`.
struct BenchSheet {
  /// A part of the patch, or the conversions and the output around its parts.
  struct Part {
    enum Kind: String { case unit, callback, tap, conversion, output }

    var kind: Kind
    /// Its name in the patch; for conversions and the output, a description.
    var name: String
    /// The component of a unit, or the kind of a callback or tap.
    var type: String
    var taken: UInt64
    /// How often it ran.
    var count: Int
    /// Its share of the time of all parts, from 0 to 1.
    var share = 0.0
  }

  let name: String
  let plain: BenchFigures
  let metered: BenchFigures
  /// Sorted by time, the longest first.
  let parts: [Part]
  /// The taps that were not measured.
  let leftOut: [String]

  // MARK: Parts

  /// The time of each part.
  ///
  /// - Parameters:
  ///   - pulled: Nanoseconds of all pulls of the metered render.
  ///   - clockCost: Nanoseconds of reading the clock once.
  static func parts(
    _ readings: [RenderMeter.Reading], in document: PatchDocument, of pulled: UInt64,
    clockCost: UInt64
  ) -> [Part] {
    let names = PartNames(document)
    var found: [Part] = []
    var places: [String: Int] = [:]
    for reading in readings {
      var part = names.part(reading.part)
      let key = "\(part.kind.rawValue)/\(part.name)"
      part.taken = reading.nanoseconds
      part.count = reading.count
      if let place = places[key] {
        // A callback that feeds several inputs has several readings.
        found[place].taken += part.taken
        found[place].count += part.count
      } else {
        places[key] = found.count
        found.append(part)
      }
    }
    // The remaining time is the plan's own and that of the conversion for the device.
    let taken = found.reduce(0) { $0 + $1.taken }
    let clock = 2 * clockCost * UInt64(readings.reduce(0) { $0 + $1.count })
    let rest = pulled > taken + clock ? pulled - taken - clock : 0
    found.append(Part(kind: .output, name: "the output", type: "", taken: rest, count: 0))
    let all = max(1, Double(taken + rest))
    for index in found.indices { found[index].share = Double(found[index].taken) / all }
    return found.enumerated().sorted {
      ($1.element.taken, $0.offset) < ($0.element.taken, $1.offset)
    }
    .map(\.element)
  }

  /// The unit, callback or tap that takes most time.
  var costliest: (part: BuiltPatch.MeasuredPart, share: Double)? {
    for part in parts where part.share > 0 {
      switch part.kind {
      case .unit: return (.node(part.name), part.share)
      case .callback: return (.callback(part.name), part.share)
      case .tap: return (.tap(part.name), part.share)
      case .conversion, .output: continue
      }
    }
    return nil
  }

  /// Nanoseconds a frame in the unmetered render.
  private func perFrame(_ part: Part) -> Double {
    part.share * plain.busy / Double(max(1, plain.frameCount))
  }

  // MARK: Text

  func text() -> String {
    let frames = Double(max(1, plain.frameCount))
    var text =
      "\(printable(name)): \(Self.durationText(plain.duration)) in slices of "
      + "\(counted(plain.sliceFrames, "frame")) at \(rateText(plain.sampleRate)) Hz, "
      + "kernel class \(VectorMath.name)\n"
    text +=
      "  \(fixed(plain.duration / max(plain.wall, 1e-9), 0)) x realtime, "
      + "\(fixed(plain.busy / frames, 1)) ns a frame, load \(percent(plain.load)), "
      + "\(fixed(Double(plain.memory) / 1e6, 0)) MB at the most\n"
    text += "  a slice has \(micro(plain.budget)): "
    text += [("50 %", 0.5), ("99 %", 0.99), ("the longest", 1)].map { words, share in
      let time = Double(plain.slice(share))
      return "\(words) \(micro(time)) (\(percent(time / plain.budget)))"
    }.joined(separator: ", ")
    text += "\n\n  share of it   ns a frame   part\n"
    for part in parts {
      text += padded(fixed(part.share * 100, 1) + " %", 13) + padded(fixed(perFrame(part), 2), 13)
      text += "   " + printable(part.name)
      text += part.type.isEmpty ? "\n" : "  (\(printable(part.type)))\n"
    }
    if plain.betweenPulls > 0 {
      text += padded("beside it", 13)
      text += padded(fixed(Double(plain.betweenPulls) / frames, 2), 13) + "   files and services\n"
    }
    return text
  }

  /// Seconds as text: `5.0 s`; below a second milliseconds, `250 ms`, `10.7 ms`, `0.023 ms`.
  static func durationText(_ seconds: Double) -> String {
    let milliseconds = seconds * 1000
    guard milliseconds < 999.5 else { return "\(fixed(seconds, 1)) s" }
    let digits = milliseconds < 1 ? 3 : milliseconds < 100 ? 1 : 0
    return "\(fixed(milliseconds, digits)) ms"
  }

  private func percent(_ share: Double) -> String {
    fixed(share * 100, share < 0.001 ? 3 : share < 0.1 ? 2 : 1) + " %"
  }

  private func micro(_ nanoseconds: Double) -> String { "\(fixed(nanoseconds / 1000, 1)) us" }

  private func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  // MARK: JSON

  func json() -> JSONText {
    let frames = Double(max(1, plain.frameCount))
    return [
      "patch": .string(name),
      "frames": .number(plain.frameCount),
      "sampleRate": .number(plain.sampleRate),
      "sliceFrames": .number(plain.sliceFrames),
      "slices": .number(plain.pulls.count),
      "kernel": .string(VectorMath.name),
      "realTimeFactor": .number(rounded(plain.duration / max(plain.wall, 1e-9), 10)),
      "load": .number(rounded(plain.load, 1e9)),
      "nanosecondsPerFrame": .number(rounded(plain.busy / frames, 1000)),
      "besideNanosecondsPerFrame": .number(rounded(Double(plain.betweenPulls) / frames, 1000)),
      "slice": [
        "budgetMicroseconds": .number(rounded(plain.budget / 1000, 1000)),
        "p50Microseconds": .number(Double(plain.slice(0.5)) / 1000),
        "p99Microseconds": .number(Double(plain.slice(0.99)) / 1000),
        "maximumMicroseconds": .number(Double(plain.slice(1)) / 1000),
      ],
      "peakMemoryBytes": .number(plain.memory),
      "measuredNanosecondsPerFrame": .number(
        rounded(metered.busy / Double(max(1, metered.frameCount)), 1000)),
      "parts": .array(
        parts.map { part in
          [
            "kind": .string(part.kind.rawValue), "name": .string(part.name),
            "type": .string(part.type), "share": .number(rounded(part.share, 1e6)),
            "nanosecondsPerFrame": .number(rounded(perFrame(part), 1000)),
            "runs": .number(part.count),
          ]
        }),
      "leftOut": .strings(leftOut),
    ]
  }

  private func rounded(_ value: Double, _ factor: Double) -> Double {
    (value * factor).rounded() / factor
  }

  // MARK: Traces

  /// Trace events for Perfetto and Chrome: each slice with the parts that ran in it.
  func trace(_ events: [RenderMeter.Event], _ document: PatchDocument) -> String {
    let names = PartNames(document)
    guard let first = events.map(\.begin).min(), let last = events.map(\.end).max() else {
      return #"{ "traceEvents": [] }"# + "\n"
    }
    let slices = zip(metered.ends, metered.pulls).enumerated()
      .map { (number: $0, begin: $1.0 - $1.1, end: $1.0) }.filter { $0.begin <= last }
    let origin = min(first, slices.first?.begin ?? first)
    func event(_ name: String, _ category: String, _ begin: UInt64, _ end: UInt64, _ more: String)
      -> String
    {
      #"{"ph":"X","pid":1,"tid":1,"name":\#(JSONText.string(name).compact),"cat":"\#(category)","#
        + #""ts":\#(fixed(Double(begin - origin) / 1000, 3)),"#
        + #""dur":\#(fixed(Double(end - begin) / 1000, 3))\#(more)}"#
    }
    var lines = [
      #"{"ph":"M","pid":1,"name":"process_name","args":{"name":"patchrun bench"}}"#,
      #"{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"slices"}}"#,
    ]
    var rest = events.sorted { ($0.begin, $1.end) < ($1.begin, $0.end) }[...]
    for slice in slices {
      let inside = rest.prefix { $0.begin < slice.end }
      rest = rest.dropFirst(inside.count)
      // A slice's times are read outside of its parts' times; the slice is widened to enclose them.
      let begin = min(slice.begin, inside.first?.begin ?? slice.begin)
      let share = fixed(Double(slice.end - begin) / metered.budget * 100, 2)
      lines.append(
        event(
          "slice", "slice", begin, slice.end,
          #","args":{"number":\#(slice.number),"percentOfBudget":\#(share)}"#))
      for one in inside {
        let part = names.part(one.part)
        lines.append(event(part.name, part.kind.rawValue, one.begin, one.end, ""))
      }
    }
    return #"{"displayTimeUnit":"ns","traceEvents":["# + "\n" + lines.joined(separator: ",\n")
      + "\n]}\n"
  }
}

/// The names of a graph's parts in the patch.
struct PartNames {
  private let chains: [PatchDocument.Address: [(kind: String, name: String)]]
  private let components: [String: String]
  private let taps: [String: String]

  init(_ document: PatchDocument) {
    chains = Show.chains(of: document)
    components = Dictionary(
      document.nodes.compactMap { node in
        guard case .name(let component)? = node.value.component?.value else { return nil }
        return (node.name, component)
      }, uniquingKeysWith: { first, _ in first })
    taps = Dictionary(
      document.taps.map { ($0.name, $0.value.kind?.value ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  func part(_ part: RenderMeter.Part) -> BenchSheet.Part {
    switch part {
    case .unit(let name):
      return .init(kind: .unit, name: name, type: components[name] ?? "", taken: 0, count: 0)
    case .callback(let node, let input, let behind):
      let chain = chains[.init(node: node, bus: input)] ?? []
      // A callback from a later update is not in the document that the run began with.
      let found =
        chain.indices.contains(behind) ? chain[behind] : (kind: "", name: "\(node):\(input)")
      return .init(kind: .callback, name: found.name, type: found.kind, taken: 0, count: 0)
    case .tap(let name):
      return .init(kind: .tap, name: name, type: taps[name] ?? "", taken: 0, count: 0)
    case .conversion:
      return .init(kind: .conversion, name: "conversions and fades", type: "", taken: 0, count: 0)
    }
  }
}
