import RenderCore
import RenderHost

/// What has run dry while a patch ran, and why: told some times, and counted to the end.
struct UnderrunReport {
  /// More are counted and not told.
  private static let mostTold = 10

  private var told = 0
  /// Stretches in which a file's frames came too late: the device does not know of them.
  private(set) var fileCount = 0

  /// A sentence to be told; `nil` where enough has been told.
  mutating func take(_ underrun: Underrun) -> String? {
    told += 1
    if told == Self.mostTold { return "further underruns are counted at the end" }
    return told < Self.mostTold ? underrun.message : nil
  }

  /// Counts a file that was late, and gives what is to be said of it to those who watch: of others `nil`.
  mutating func take(_ event: ServiceEvent, at time: Double) -> Underrun? {
    guard event.kind == .late, !event.isOngoing else { return nil }
    fileCount += 1
    return Underrun(.file, time: time, reason: event.message)
  }

  /// `3 xruns (2 the patch's own, 1 the machine's)`
  func summary(_ statistics: HardwareStatistics) -> String {
    let causes = Self.causes(statistics, fileCount: fileCount)
    let count = statistics.underruns + statistics.overruns + fileCount
    let parts = UnderrunCause.allCases.compactMap { cause in
      causes[cause].map { "\($0) \(cause.owner)" }
    }
    return counted(count, "xrun") + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
  }

  /// How many underruns have which cause, those of files among them.
  static func causes(
    _ statistics: HardwareStatistics, fileCount: Int
  ) -> [UnderrunCause: Int] {
    var causes = statistics.underrunCauses
    if fileCount > 0 { causes[.file] = fileCount }
    return causes
  }
}
