import Synchronization

/// The presets' coefficients, solved once for each sample rate.
enum EqualizerBanks {
  /// A limit for programs that use many rates; a graph has few.
  private static let mostRates = 16
  private static let banks = Mutex<[Double: [Double]]>([:])

  /// The coefficients of all presets, one after the other, at a rate in hertz.
  static func coefficients(sampleRate: Double) -> [Double] {
    if let present = banks.withLock({ $0[sampleRate] }) { return present }
    let solver = GraphicEqualizerSolver(
      centers: EqualizerPresets.centers, sampleRate: sampleRate)
    let bank = EqualizerPresets.all.flatMap {
      EqualizerCascade.coefficients(
        of: GraphicEqualizerDesign(gains: $0.gains, solver: solver).filters)
    }
    banks.withLock { banks in
      if banks.count >= mostRates { banks.removeAll() }
      banks[sampleRate] = bank
    }
    return bank
  }
}
