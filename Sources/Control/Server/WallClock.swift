import Glibc

/// The time of day.
enum WallClock {
  /// Seconds since the beginning of 1970.
  static var unixTime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The time in RFC 3339: `2026-11-21T10:52:03.125Z`.
  static var text: String { text(unixTime: unixTime) }

  static func text(unixTime: Double) -> String {
    let milliseconds = Int((unixTime * 1000).rounded(.down))
    let seconds = milliseconds / 1000
    let (year, month, day) = date(ofDay: seconds / 86_400)
    let second = seconds % 86_400
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
      + ".\(padded(milliseconds % 1000, 3))Z"
  }

  /// The Gregorian date of a day, counted from the beginning of 1970. Years are counted from March,
  /// so that the leap day is the last day of a year.
  private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    let days = day + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      yearOfEra + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  private static func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
