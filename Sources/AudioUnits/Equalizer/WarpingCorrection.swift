internal import Glibc

/// A correction of the highest bands of a graphic equalizer, so that the curve matches the analogue
/// one up to the centre of the highest band.
///
/// The bilinear transform compresses the range between a centre and half the sample rate: at 44.1
/// kHz a curve made with it is up to 0.37 dB off the one at 192 kHz, at 11 kHz. With these widths
/// and centres it is 0.05 dB at 44.1 kHz, 0.04 dB at 48 kHz and 0.1 dB at the lowest rate that has
/// room for a band. The figures are ours: fitted to the analogue cascade over the curves of the
/// presets, from 500 Hz to the highest centre, for bands an octave apart.
struct WarpingCorrection {
  /// The factors of a filter's width and of its design frequency.
  struct Factors {
    var width = 1.0
    var center = 1.0
  }

  /// For the highest band, the one below it, and the one below that.
  let factors: [Factors]

  /// The natural logarithms of the factors, by the highest centre as a part of the sample rate.
  private static let table: [(part: Double, logarithms: [Double])] = [
    (0.0000, [0.00000, 0.00000, 0.00000, 0.00000, 0.00000]),
    (0.0833, [-0.00039, -0.00280, -0.01606, -0.00035, -0.00122]),
    (0.1667, [-0.00147, -0.01107, -0.06693, -0.00142, -0.00481]),
    (0.2500, [-0.00295, -0.02437, -0.16572, -0.00328, -0.01051]),
    (0.2857, [-0.00352, -0.03132, -0.23287, -0.00437, -0.01350]),
    (0.3200, [-0.00383, -0.03836, -0.32369, -0.00563, -0.01659]),
    (0.3333, [-0.00384, -0.04109, -0.37007, -0.00618, -0.01783]),
    (0.3478, [-0.00375, -0.04400, -0.43099, -0.00683, -0.01920]),
    (0.3628, [-0.00350, -0.04685, -0.50993, -0.00755, -0.02061]),
    (0.3810, [-0.00295, -0.04992, -0.63808, -0.00853, -0.02229]),
    (0.4000, [-0.00203, -0.05244, -0.83611, -0.00966, -0.02398]),
    (0.4211, [-0.00051, -0.05381, -1.19967, -0.01106, -0.02565]),
    (0.4324, [0.00054, -0.05361, -1.51631, -0.01189, -0.02639]),
    (0.4395, [0.00127, -0.05303, -1.78453, -0.01242, -0.02677]),
    (0.4444, [0.00183, -0.05236, -2.02468, -0.01280, -0.02699]),
    (0.4500, [0.00251, -0.05130, -2.35789, -0.01324, -0.02716]),
  ]

  /// - Parameter part: The highest centre, as a part of the sample rate: 0 to 0.45.
  init(highestCenter part: Double) {
    let above = Self.table.firstIndex { $0.part >= part } ?? Self.table.count - 1
    let (low, high) = (Self.table[max(0, above - 1)], Self.table[above])
    // They grow approximately with the square.
    let span = high.part * high.part - low.part * low.part
    let share = span > 0 ? min(1, (part * part - low.part * low.part) / span) : 0
    let values = zip(low.logarithms, high.logarithms).map { exp($0 + share * ($1 - $0)) }
    factors = [
      Factors(width: values[2], center: values[4]), Factors(width: values[1], center: values[3]),
      Factors(width: values[0]),
    ]
  }
}
