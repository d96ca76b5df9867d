import Glibc

/// A Pure Data patch that reads files, processes them and writes a file.
struct PurePatch {
  private var objects: [String] = []
  private var connections: [String] = []
  private var starts: [Int] = []

  /// An outlet: the index of the object and that of its outlet.
  typealias Signal = (object: Int, outlet: Int)

  private mutating func add(_ kind: String, _ text: String) -> Int {
    objects.append("#X \(kind) 10 10 \(text);")
    return objects.count - 1
  }

  private mutating func connect(_ from: Signal, _ to: Int, _ inlet: Int) {
    connections.append("#X connect \(from.object) \(from.outlet) \(to) \(inlet);")
  }

  /// The channels of a file.
  mutating func read(_ path: String, channels: Int) -> [Signal] {
    let reader = add("obj", "readsf~ \(channels) 1000000")
    let open = add("msg", "open \(path)")
    let start = add("msg", "1")
    connect((open, 0), reader, 0)
    connect((start, 0), reader, 0)
    starts += [open, start]
    return (0..<channels).map { (reader, $0) }
  }

  /// Adds an object with one signal inlet and one signal outlet.
  mutating func through(_ text: String, _ signal: Signal) -> Signal {
    let object = add("obj", text)
    connect(signal, object, 0)
    return (object, 0)
  }

  mutating func sum(_ first: Signal, _ second: Signal) -> Signal {
    let object = add("obj", "+~")
    connect(first, object, 0)
    connect(second, object, 1)
    return (object, 0)
  }

  /// The text of the patch. It writes the sum of the signals of each channel for `seconds`.
  func text(_ channels: [[Signal]], seconds: Double, to path: String) -> String {
    var copy = self
    let writer = copy.add("obj", "writesf~ \(channels.count) 1000000")
    for (channel, signals) in channels.enumerated() {
      for signal in signals { copy.connect(signal, writer, channel) }
    }
    let begin = copy.add("obj", "loadbang")
    let order = copy.add("obj", "trigger bang bang bang")
    copy.connect((begin, 0), order, 0)
    for start in starts { copy.connect((order, 2), start, 0) }
    let open = copy.add("msg", "open -wave -bytes 4 -rate 48000 \(path)")
    let start = copy.add("msg", "start")
    copy.connect((order, 1), open, 0)
    copy.connect((open, 0), writer, 0)
    copy.connect((order, 0), start, 0)
    copy.connect((start, 0), writer, 0)
    let delay = copy.add("obj", "delay \(seconds * 1000)")
    copy.connect((order, 0), delay, 0)
    let stop = copy.add("msg", "stop")
    copy.connect((delay, 0), stop, 0)
    copy.connect((stop, 0), writer, 0)
    // Pure Data opens another file only after it has written the first one completely.
    let last = copy.add("msg", "open -wave -bytes 4 \(path).end.wav")
    copy.connect((delay, 0), last, 0)
    copy.connect((last, 0), writer, 0)
    let pause = copy.add("obj", "delay 20")
    copy.connect((delay, 0), pause, 0)
    let quit = copy.add("msg", "\\; pd quit")
    copy.connect((pause, 0), quit, 0)
    return "#N canvas 0 0 450 300 12;\n"
      + (copy.objects + copy.connections).joined(separator: "\n") + "\n"
  }

  /// Adds an equalizer of ten bands.
  mutating func equalized(_ signal: Signal) -> Signal {
    var signal = signal
    for (frequency, gain) in PeerEqualizer.bands {
      let amplitude = pow(10, gain / 40)
      let turn = 2 * Double.pi * frequency / 48_000
      let alpha = sin(turn) / 2.5
      let scale = 1 / (1 + alpha / amplitude)
      // Pure Data's order: feedback coefficients first, with opposite signs.
      let numbers = [
        2 * cos(turn) * scale, -(1 - alpha / amplitude) * scale, (1 + alpha * amplitude) * scale,
        -2 * cos(turn) * scale, (1 - alpha * amplitude) * scale,
      ]
      signal = through("biquad~ " + numbers.map { "\($0)" }.joined(separator: " "), signal)
    }
    return signal
  }
}

/// The bands of the peers' equalizers; patchrun uses a preset of ten bands.
enum PeerEqualizer {
  static let bands: [(frequency: Double, gain: Double)] = (0..<10).map {
    (31.25 * Double(1 << $0), $0 % 2 == 0 ? 4 : -3)
  }
}
