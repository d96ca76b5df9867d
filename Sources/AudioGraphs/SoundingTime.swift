import AudioTypes
import AudioUnits

/// When the last source of a graph ends, with the graph's initial settings.
struct SoundingTime {
  private enum End {
    /// No source, or only the microphone.
    case none
    /// In frames of the device.
    case after(Double)
    case never

    func later(_ other: End) -> End {
      switch (self, other) {
      case (.none, let end), (let end, .none): end
      case (.after(let one), .after(let two)): .after(max(one, two))
      case (.never, _), (_, .never): .never
      }
    }
  }

  /// The sound of a callback.
  struct Source {
    /// The time of its first frame, in frames of the device.
    var startFrame: Double
    /// In frames of the bus; `nil` for an endless one.
    var duration: Int?
  }

  private let model: GraphModel
  private let preparation: Preparation
  private let domains: RateDomains
  private let deviceRate: Double
  private let sources: [SourceKey: Source]
  /// By the index of the node.
  private var ends: [End]

  init(_ side: GraphSide, deviceRate: Double, sources: [SourceKey: Source]) {
    (model, preparation, domains) = (side.model, side.preparation, side.domains)
    self.deviceRate = deviceRate
    self.sources = sources
    ends = Array(repeating: .none, count: model.nodes.count)
    for id in preparation.order where preparation.pulled.contains(id) {
      guard let index = model.index(of: id) else { continue }
      var end = End.none
      for interaction in model.interactions(into: id) {
        let input = BusKey(node: id, bus: interaction.input)
        var next = self.end(of: interaction)
        if case .after(let frames) = next {
          next = .after(max(0, frames / domains.speed(of: input) + delay(of: input)))
        }
        end = end.later(next)
      }
      // A unit with latency outputs the end later.
      if case .after(let frames) = end {
        end = .after(frames + max(0, preparation.latencies.own(id)) * deviceRate)
      }
      ends[index] = end
    }
  }

  /// The frames of the device until the sound has ended; `nil` where a source never ends, or there
  /// is none.
  var frames: Int? {
    guard let head = model.head.flatMap({ model.index(of: $0.id) }),
      case .after(let frames) = ends[head]
    else { return nil }
    // Division by a speed may add up to a thousandth of a frame of rounding error.
    return Int(max(0, (frames - 1e-3).rounded(.up)))
  }

  /// The time by which the sound of an input ends later at its unit, in frames of the device: the
  /// delay and the tail of a pulled input, and latency compensation.
  private func delay(of input: BusKey) -> Double {
    guard
      let rate = preparation.configurations[input.node]?.inputs[input.bus].format.sampleRate,
      rate > 0
    else { return 0 }
    let compensated = Double(preparation.latencies.delays[input] ?? 0)
    return (domains.delay(of: input) + domains.tail(of: input) + compensated) * deviceRate / rate
  }

  private func end(of interaction: Interaction) -> End {
    let from: End =
      if let source = interaction.link?.source, source != model.head?.id,
        let index = model.index(of: source)
      {
        ends[index]
      } else {
        .none
      }
    guard case .callback(let callback) = interaction else { return from }
    guard
      let format = preparation.configurations[callback.destination]?.inputs[callback.input].format,
      format.sampleRate > 0
    else { return .none }
    var end = from
    for (index, instance) in callback.chain.enumerated() {
      guard let source = sources[SourceKey(serial: instance.serial, format: format)] else {
        continue
      }
      let isProcessing = index > 0 || callback.source != nil
      guard let duration = source.duration else {
        end = .never
        continue
      }
      let frames = Double(duration) * deviceRate / format.sampleRate
      if !isProcessing {
        end = .after(frames + source.startFrame)
      } else if case .after(let before) = end {
        end = .after(before + frames)
      }
    }
    return end
  }
}
