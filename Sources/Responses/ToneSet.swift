import Glibc
import RenderCore

/// The test signal of a response: many sines with a common period of at least a second. Once the
/// path has settled, each of them comes out as one sine again, however long the path rings; any
/// other frequency in the output was added by the path.
///
/// The sines come in pairs of neighbours. The first of a pair gives magnitude and phase; both
/// together give the slope of the phase, which is the group delay without ambiguous whole turns.
/// The phases are random, but the same each time.
public struct ToneSet: Sendable {
  /// The frames of a period at the input, and at the output.
  public let inputPeriod: Int
  public let outputPeriod: Int
  public let inputRate: Double
  public let outputRate: Double
  /// The first frequency of each pair, in multiples of 1 / `period`, in rising order.
  let bins: [Int]

  /// In seconds.
  public var period: Double { Double(inputPeriod) / inputRate }
  /// In Hz.
  public var frequencies: [Double] { bins.map { Double($0) / period } }

  /// - Parameters:
  ///   - pointsPerOctave: The number of frequencies in an octave; fewer at low frequencies, where
  ///     the period cannot tell them apart.
  ///   - lowest: The lowest frequency, in Hz.
  /// - Returns: `nil` where a rate is outside 100 Hz to 1.6 MHz, where different rates are not
  ///   whole numbers of Hz, or where no frequency fits.
  public init?(
    from inputRate: Double, to outputRate: Double, pointsPerOctave: Int, lowest: Double = 20
  ) {
    guard let (input, output) = Self.periods(inputRate, outputRate) else { return nil }
    inputPeriod = input
    outputPeriod = output
    self.inputRate = inputRate
    self.outputRate = outputRate
    let period = Double(input) / inputRate
    let last = (min(input, output) - 1) / 2 - 1
    var bins: [Int] = []
    var step = 0
    while true {
      let frequency = lowest * pow(2, Double(step) / Double(pointsPerOctave))
      step += 1
      let bin = max(Int((frequency * period).rounded()), Int((lowest * period).rounded(.up)))
      guard bin <= last else { break }
      if bin >= 1, bin > (bins.last ?? -1) + 1 { bins.append(bin) }
    }
    // The highest pair that fits.
    if let highest = bins.last, last > highest + 1 { bins.append(last) }
    guard !bins.isEmpty else { return nil }
    self.bins = bins
  }

  /// Periods of a second or more, with small prime factors where the rates allow.
  private static func periods(_ input: Double, _ output: Double) -> (Int, Int)? {
    guard input >= 100, output >= 100, input <= 1.6e6, output <= 1.6e6 else { return nil }
    if input == output {
      let length = smooth(atLeast: Int(input))
      return (length, length)
    }
    guard let first = Int(exactly: input), let second = Int(exactly: output) else { return nil }
    var (a, b) = (first, second)
    while b != 0 { (a, b) = (b, a % b) }
    // Frames at both rates coincide every 1 / a seconds.
    let count = smooth(atLeast: a)
    let (inputLength, outputLength) = (first / a * count, second / a * count)
    return inputLength % 2 == 0 && outputLength % 2 == 0
      ? (inputLength, outputLength) : (2 * inputLength, 2 * outputLength)
  }

  /// The next even number without prime factors other than 2, 3 and 5.
  private static func smooth(atLeast least: Int) -> Int {
    var length = max(4, least)
    while length % 2 != 0 || !RealFFT.hasSmallFactors(length) { length += 1 }
    return length
  }

  /// A period of the signal at the input, scaled to a peak; full scale is 1.
  public func samples(peak: Double) -> [Float] {
    var values = Lanes(
      repeating: .zero, count: (inputPeriod + 8 * Self.run - 1) / (8 * Self.run) * Self.run)
    var random: UInt64 = 0x9E37_79B9_7F4A_7C15
    for bin in bins.flatMap({ [$0, $0 + 1] }) {
      // xorshift64* (S. Vigna 2016).
      random ^= random >> 12
      random ^= random << 25
      random ^= random >> 27
      let share = Double((random &* 0x2545_F491_4F6C_DD1D) >> 11) * 0x1p-53
      add(bin, phase: 2 * .pi * share, to: &values)
    }
    let frames = (0..<inputPeriod).map { frame in
      let (eight, place) = frame.quotientAndRemainder(dividingBy: 8 * Self.run)
      return values[eight * Self.run + place % Self.run][place / Self.run]
    }
    let highest = frames.reduce(0) { max($0, $1.magnitude) }
    return frames.map { Float($0 * peak / highest) }
  }

  /// Frames in which a sine is made by rotating a pointer; then it is computed anew, against rounding errors.
  private static let run = 1024
  /// Frames of eight runs, which are made at a time: a run in each lane.
  private typealias Lanes = [SIMD8<Double>]

  /// Adds a sine.
  private func add(_ bin: Int, phase: Double, to values: inout Lanes) {
    let angle = 2 * Double.pi * Double(bin) / Double(inputPeriod)
    let (turnReal, turnImaginary) = (cos(angle), sin(angle))
    for first in stride(from: 0, to: values.count, by: Self.run) {
      var (real, imaginary) = (SIMD8<Double>.zero, SIMD8<Double>.zero)
      for lane in 0..<8 {
        let frame = 8 * first + lane * Self.run
        let turn = Double(bin * frame % inputPeriod) / Double(inputPeriod)
        (real[lane], imaginary[lane]) = (cos(2 * .pi * turn + phase), sin(2 * .pi * turn + phase))
      }
      for index in first..<first + Self.run {
        values[index] += real
        (real, imaginary) = (
          real * turnReal - imaginary * turnImaginary, real * turnImaginary + imaginary * turnReal
        )
      }
    }
  }
}
