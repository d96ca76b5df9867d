import SoundMeasures
import TestSupport

/// Measures the click detector: its false alarms, and how many of the inserted steps and runs of
/// zeros it finds.
struct ClickMeasurement: OptionMeasurement {
  static let usage = "clicks [--seconds N] [--seed N] [--verbose]"
  private static let length = 5.0
  private var seconds = 1000
  private var seed: UInt64 = 1
  private var isVerbose = false

  /// The results for one kind of material.
  private struct Score {
    var seconds = 0.0
    var alarms = 0
    var steps = (found: 0, count: 0)
    var zeros = (found: 0, count: 0)

    mutating func add(_ other: Score) {
      seconds += other.seconds
      alarms += other.alarms
      steps = (steps.found + other.steps.found, steps.count + other.steps.count)
      zeros = (zeros.found + other.zeros.found, zeros.count + other.zeros.count)
    }
  }

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--verbose": isVerbose = true
      case "--seconds":
        guard let value = rest.popFirst().flatMap(Int.init), value > 0 else { return nil }
        seconds = value
      case "--seed":
        guard let value = rest.popFirst().flatMap(UInt64.init) else { return nil }
        seed = value
      default: return nil
      }
    }
  }

  /// Prints the figures. Returns whether there was at most one false alarm in 1,000 s, and 99 % of
  /// the audible faults were found.
  func run() -> Bool {
    var random = SplitMix64(seed: seed)
    var scores: [ClickMaterial.Kind: Score] = [:]
    let kinds = ClickMaterial.Kind.allCases
    for number in 0..<(Int(Double(seconds) / Self.length)) {
      let kind = kinds[number % kinds.count]
      let material = ClickMaterial(kind, seconds: Self.length, using: &random)
      if material.samples.isEmpty {
        print("espeak-ng, which speaks, is not there")
        return false
      }
      measure(material, number, into: &scores[kind, default: Score()], using: &random)
    }
    print("kind                    seconds  false  steps of -50 dBFS   1 ms of zeros")
    var (sum, shown) = (Score(), Score())
    for kind in kinds {
      guard let score = scores[kind] else { continue }
      print(row(kind.rawValue, score))
      sum.add(score)
      if kind.showsSteps { shown.add(score) }
    }
    print(row("all", sum))
    print(row("where steps are not hidden", shown))
    return Double(sum.alarms) <= max(1, sum.seconds / 1000)
      && shown.steps.found * 100 >= shown.steps.count * 99
      && shown.zeros.found * 100 >= shown.zeros.count * 99
  }

  private func measure(
    _ material: ClickMaterial, _ number: Int, into score: inout Score,
    using random: inout SplitMix64
  ) {
    func clicks(_ samples: [Float]) -> [Click] {
      Sound(sampleRate: material.rate, channels: [samples]).clicks()
    }
    let alarms = clicks(material.samples(level: .random(in: -40 ... -12, using: &random)))
    score.seconds += Self.length
    score.alarms += alarms.count
    if isVerbose {
      for alarm in alarms.prefix(4) {
        let place = fixed(Double(alarm.frame) / material.rate, 4)
        print(
          "\(number) \(material.kind.rawValue): alarm at \(place) s, \(fixed(alarm.size, 1)) dBFS")
      }
    }
    guard material.kind.takesFaults else { return }
    let samples = material.samples(level: -20)
    for _ in 0..<4 {
      let place = Int.random(in: samples.count / 10..<samples.count * 9 / 10, using: &random)
      let near = Int(material.rate * 0.002)
      // A step that stays until the end.
      var stepped = samples
      let height = Float.random(in: 0...1, using: &random) < 0.5 ? Float(0.003_162_3) : -0.003_162_3
      for frame in place..<stepped.count { stepped[frame] += height }
      let isFound = clicks(stepped).contains { abs($0.frame - place) <= near }
      score.steps = (score.steps.found + (isFound ? 1 : 0), score.steps.count + 1)
      if isVerbose && !isFound {
        print(
          "\(number) \(material.kind.rawValue): no step at \(fixed(Double(place) / material.rate, 4)) s"
        )
      }
      // A run of zeros, if there is sound on both sides.
      let width = Int(material.rate * 0.001)
      let side = Int(material.rate * 0.005)
      let sounds = [place - side..<place, place + width..<place + width + side].allSatisfy {
        samples[$0].contains { $0.magnitude > 0.01 }
      }
      guard sounds else { continue }
      var holed = samples
      for frame in place..<place + width { holed[frame] = 0 }
      let isHoleFound = clicks(holed).contains {
        $0.frame >= place - near && $0.frame <= place + width + near
      }
      score.zeros = (score.zeros.found + (isHoleFound ? 1 : 0), score.zeros.count + 1)
      if isVerbose && !isHoleFound {
        print(
          "\(number) \(material.kind.rawValue): no zeros at \(fixed(Double(place) / material.rate, 4)) s"
        )
      }
    }
  }

  private func row(_ name: String, _ score: Score) -> String {
    func share(_ pair: (found: Int, count: Int)) -> String {
      pair.count == 0
        ? "-"
        : "\(pair.found)/\(pair.count) "
          + fixed(100 * Double(pair.found) / Double(pair.count), 1) + " %"
    }
    return name + column(score.seconds, 0, width: 31 - name.count)
      + column("\(score.alarms)", width: 7)
      + column(share(score.steps), width: 20) + column(share(score.zeros), width: 18)
  }
}
