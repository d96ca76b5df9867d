import CVector
import Glibc

/// Converts impulse responses to another sample rate with a windowed sinc. The part before the
/// first frame is cut off, because a response begins there. The gain of the filter stays the same.
struct ResponseConverter {
  private static let reach = 24
  private let step: Double
  private let ratio: Double
  /// A row of coefficients for each of `phases` positions between two frames: `2 * reach`
  /// coefficients, more for a lower rate.
  private let taps: Int
  /// The stride of the rows: a multiple of 16.
  private let width: Int
  private let phases: Int
  private let rows: [Float]
  private let phaseStep: Int

  init(from measured: Double, to rate: Double) {
    step = measured / rate
    ratio = rate / measured
    let stretch = max(1, step)
    taps = 2 * Int((Double(Self.reach) * stretch).rounded(.up))
    width = (taps + 15) / 16 * 16
    // Usual rates have a large common divisor with 44100, and so few phases. For others a position
    // is rounded to 1/4096 of a frame, which moves a response by a few nanoseconds.
    var (divisor, rest) = (Int(measured.rounded()), Int(rate.rounded()))
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    let isWhole = measured == measured.rounded() && rate == rate.rounded()
    let exact = Int(rate.rounded()) / max(1, divisor)
    let isExact = isWhole && exact <= 4096
    phases = isExact ? exact : 4096
    phaseStep = isExact ? Int(measured.rounded()) / divisor : 0
    // A Kaiser window with beta 9.6: 96 dB stop-band attenuation; the pass band ends at 0.91 of the
    // lower Nyquist frequency.
    let cutoff = 0.955 / stretch
    let peak = bessel(9.6)
    var rows: [Float] = []
    rows.reserveCapacity(phases * width)
    for phase in 0..<phases {
      let offset = Double(phase) / Double(phases)
      for tap in 0..<taps {
        let time = Double(tap - taps / 2 + 1) - offset
        let place = 2 * time / Double(taps)
        let inside = max(0, 1 - place * place)
        let window = inside > 0 ? bessel(9.6 * inside.squareRoot()) / peak : 0
        let angle = Double.pi * cutoff * time
        rows.append(Float(cutoff * (angle == 0 ? 1 : sin(angle) / angle) * window * step))
      }
      rows += [Float](repeating: 0, count: width - taps)
    }
    self.rows = rows
  }

  /// The number of frames of a converted response.
  static func length(of count: Int, from measured: Double, to rate: Double) -> Int {
    Int((Double(count) * (rate / measured)).rounded(.up))
  }

  func convert(_ response: [Float]) -> [Float] {
    let length = Int((Double(response.count) * ratio).rounded(.up))
    // Zeros on both sides, as wide as a row.
    let padded =
      [Float](repeating: 0, count: taps) + response + [Float](repeating: 0, count: taps + width)
    return unsafe [Float](unsafeUninitializedCapacity: length) { output, count in
      count = length
      unsafe padded.withUnsafeBufferPointer { input in
        unsafe rows.withUnsafeBufferPointer { rows in
          guard let input = input.baseAddress, let rows = rows.baseAddress else { return }
          for frame in 0..<length {
            let place: (whole: Int, phase: Int)
            if phaseStep > 0 {
              place = (frame * phaseStep / phases, frame * phaseStep % phases)
            } else {
              let index = Int((Double(frame) * step * Double(phases)).rounded())
              place = (index / phases, index % phases)
            }
            let first = min(place.whole, response.count) - taps / 2 + 1 + taps
            unsafe output[frame] = cvector_dot(rows + place.phase * width, input + first, width)
          }
        }
      }
    }
  }
}

/// The modified Bessel function of the first kind, order 0, by its power series.
private func bessel(_ x: Double) -> Double {
  var (term, sum, index) = (1.0, 1.0, 1.0)
  while term > sum * 1e-17 {
    term *= x * x / 4 / (index * index)
    sum += term
    index += 1
  }
  return sum
}
