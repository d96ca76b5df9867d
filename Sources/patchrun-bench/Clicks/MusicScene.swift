import Glibc
import TestSupport

/// Generates music and test signals note by note. No note begins or ends with a step: the shortest
/// attack is 0.1 ms.
struct MusicScene {
  let rate: Double
  private(set) var samples: [Double]
  private(set) var random: SplitMix64
  private var count: Int { samples.count }

  init(rate: Double, seconds: Double, random: SplitMix64) {
    self.rate = rate
    self.random = random
    samples = [Double](repeating: 0, count: Int(seconds * rate))
  }

  private mutating func draw(_ range: ClosedRange<Double>) -> Double {
    .random(in: range, using: &random)
  }

  /// Uniform in the logarithm.
  private mutating func drawRatio(_ range: ClosedRange<Double>) -> Double {
    exp(draw(log(range.lowerBound)...log(range.upperBound)))
  }

  private mutating func normal() -> Double {
    (-2 * log(draw(1e-12...1))).squareRoot() * cos(2 * .pi * draw(0...1))
  }

  private mutating func frequency(from low: Double, octaves: Int) -> Double {
    low * pow(2, Double(Int.random(in: 0..<12 * octaves, using: &random)) / 12)
  }

  /// An envelope of raised cosines; attack and release in seconds.
  private func envelope(_ frame: Int, of length: Int, attack: Double, release: Double) -> Double {
    let rise = min(1, Double(frame) / (attack * rate))
    let fall = min(1, Double(length - 1 - frame) / (release * rate))
    return (0.5 - 0.5 * cos(.pi * rise)) * (0.5 - 0.5 * cos(.pi * fall))
  }

  /// Chords of three or four notes of decaying harmonics.
  mutating func addChords() {
    var start = 0
    while start < count {
      let length = Int(draw(0.3...1.5) * rate)
      for _ in 0..<Int.random(in: 3...4, using: &random) {
        let frequency = frequency(from: 110, octaves: 3)
        let (attack, release) = (drawRatio(0.002...0.1), drawRatio(0.01...0.2))
        let slope = draw(1...2)
        let phase = draw(0...6)
        for partial in 1...max(1, min(24, Int(rate * 0.45 / frequency))) {
          let gain = 0.1 / pow(Double(partial), slope)
          let step = 2 * .pi * frequency * Double(partial) / rate
          for frame in 0..<min(length, count - start) {
            samples[start + frame] +=
              gain * sin(step * Double(frame) + phase * Double(partial))
              * envelope(frame, of: length, attack: attack, release: release)
          }
        }
      }
      start += length
    }
  }

  /// Karplus-Strong strings: a burst of noise in a delay loop.
  mutating func addPlucks() {
    var start = 0
    while start < count {
      let period = Int(rate / frequency(from: 82, octaves: 3))
      var string = (0..<period).map { _ in draw(-0.3...0.3) }
      let length = min(Int(draw(0.3...2) * rate), count - start)
      let loss = draw(0.99...0.999)
      let attack = drawRatio(0.0001...0.003)
      var last = 0.0
      for frame in 0..<length {
        let place = frame % period
        let value = string[place]
        samples[start + frame] +=
          value * envelope(frame, of: length, attack: attack, release: 0.01)
        string[place] = loss * 0.5 * (value + last)
        last = value
      }
      start += Int(draw(0.1...0.5) * rate)
    }
  }

  /// A bass drum, a snare drum and a cymbal, with attacks of 0.1 to 2 ms.
  mutating func addDrums() {
    var start = 0
    while start < count {
      let length = min(Int(0.4 * rate), count - start)
      let attack = drawRatio(0.0001...0.002)
      let kind = Int.random(in: 0..<3, using: &random)
      let decay = kind == 2 ? draw(0.02...0.1) : draw(0.05...0.15)
      let (high, low) = (draw(150...400), draw(40...60))
      let gain = draw(0.1...0.6)
      var (phase, last) = (0.0, 0.0)
      for frame in 0..<length {
        let time = Double(frame) / rate
        let noise = normal() / 3
        let value: Double
        switch kind {
        case 0:
          phase += 2 * .pi * (low + (high - low) * exp(-time * 30)) / rate
          value = sin(phase)
        case 1:
          phase += 2 * .pi * high / rate
          value = 0.5 * sin(phase) + noise
        default:
          value = noise - last
          last = noise
        }
        samples[start + frame] +=
          gain * value * exp(-time / decay)
          * envelope(frame, of: length, attack: attack, release: 0.02)
      }
      start += Int(draw(0.1...0.5) * rate)
    }
  }

  /// Saw and square waves: naive (with a step in each period) or as sums of harmonics.
  mutating func addBass(isBandLimited: Bool) {
    var start = 0
    while start < count {
      let length = Int(draw(0.1...0.8) * rate)
      let frequency = frequency(from: 30, octaves: 3)
      let isSquare = Bool.random(using: &random)
      let (attack, release) = (drawRatio(0.001...0.02), drawRatio(0.005...0.05))
      let partials = Int(rate * 0.49 / frequency)
      let step = frequency / rate
      for frame in 0..<min(length, count - start) {
        let place = (Double(frame) * step).truncatingRemainder(dividingBy: 1)
        var value = 0.0
        if !isBandLimited {
          value = isSquare ? (place < 0.5 ? 1 : -1) : 2 * place - 1
        } else {
          // Chebyshev's recurrence gives sin(nx) from the two terms before.
          let angle = 2 * .pi * place
          let turn = 2 * cos(angle)
          var (one, other) = (sin(angle), 0.0)
          for partial in 1...max(1, partials) {
            if !isSquare || partial % 2 == 1 { value += one / Double(partial) }
            (one, other) = (turn * one - other, one)
          }
          value *= isSquare ? 1.27 : 0.64
        }
        samples[start + frame] +=
          0.3 * value * envelope(frame, of: length, attack: attack, release: release)
      }
      start += length + Int(draw(0...0.2) * rate)
    }
  }

  mutating func addSweep() {
    let isEven = Bool.random(using: &random)
    let (low, high) = (drawRatio(20...200), draw(5000...rate * 0.45))
    let isDown = Bool.random(using: &random)
    let duration = Double(count) / rate
    var phase = draw(0...6)
    for frame in 0..<count {
      let share = Double(isDown ? count - frame : frame) / Double(count)
      let frequency = isEven ? low + (high - low) * share : low * pow(high / low, share)
      phase += 2 * .pi * frequency / rate
      samples[frame] +=
        0.5 * sin(phase)
        * envelope(frame, of: count, attack: min(0.02, duration / 4), release: 0.02)
    }
  }

  mutating func addSines() {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let step = 2 * .pi * drawRatio(30...rate * 0.45) / rate
      let (gain, phase) = (draw(0.01...0.3), draw(0...6))
      for frame in 0..<count {
        samples[frame] +=
          gain * sin(step * Double(frame) + phase)
          * envelope(frame, of: count, attack: 0.02, release: 0.02)
      }
    }
  }

  /// White or pink noise.
  mutating func addNoise() {
    let isPink = Bool.random(using: &random)
    // P. Kellet's refined filter for pink noise.
    var memory = [Double](repeating: 0, count: 7)
    let poles = [0.99886, 0.99332, 0.96900, 0.86650, 0.55000, -0.7616]
    let gains = [0.0555179, 0.0750759, 0.1538520, 0.3104856, 0.5329522, -0.0168980]
    for frame in 0..<count {
      let white = normal()
      guard isPink else {
        samples[frame] += 0.1 * white
        continue
      }
      var value = memory[6] + white * 0.5362
      memory[6] = white * 0.115926
      for pole in poles.indices {
        memory[pole] = poles[pole] * memory[pole] + white * gains[pole]
        value += memory[pole]
      }
      samples[frame] += 0.05 * value
    }
  }

  /// Another signal behind a gate that opens and closes at once, and stays closed for at least 50
  /// ms.
  mutating func addGated() {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: addChords()
    case 1: addNoise()
    case 2: addSines()
    case 3: addBass(isBandLimited: true)
    default: addSweep()
    }
    var start = 0
    while start < count {
      let open = Int(draw(0.05...0.5) * rate)
      let shut = Int(draw(0.05...0.5) * rate)
      for frame in min(count, start + open)..<min(count, start + open + shut) {
        samples[frame] = 0
      }
      start += open + shut
    }
  }
}
