import RenderCore
import RenderHost

/// Collects the underruns of a run: the first ones are reported, all are counted.
struct UnderrunReport {
  /// The most underruns that are reported.
  private static let mostReported = 10

  private var reported = 0
  /// The stretches of files that were read too late. The device does not count them.
  private(set) var fileCount = 0

  /// The message of an underrun; `nil` if enough have been reported.
  mutating func take(_ underrun: Underrun) -> String? {
    reported += 1
    if reported == Self.mostReported { return "further underruns are counted at the end" }
    return reported < Self.mostReported ? underrun.message : nil
  }

  /// Counts a late stretch of a file and returns it as an underrun; `nil` for other events.
  mutating func take(_ event: ServiceEvent, at time: Double) -> Underrun? {
    guard event.kind == .late, !event.isOngoing else { return nil }
    fileCount += 1
    return Underrun(.file, time: time, reason: event.message)
  }

  /// For example `3 xruns (2 the patch's own, 1 the machine's)`.
  func summary(_ statistics: HardwareStatistics) -> String {
    let causes = Self.causes(statistics, fileCount: fileCount)
    let count = statistics.underruns + statistics.overruns + fileCount
    let parts = UnderrunCause.allCases.compactMap { cause in
      causes[cause].map { "\($0) \(cause.owner)" }
    }
    return counted(count, "xrun") + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
  }

  /// The number of underruns by cause, with those of files.
  static func causes(
    _ statistics: HardwareStatistics, fileCount: Int
  ) -> [UnderrunCause: Int] {
    var causes = statistics.underrunCauses
    if fileCount > 0 { causes[.file] = fileCount }
    return causes
  }
}
