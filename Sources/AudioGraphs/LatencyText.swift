/// How latencies are written.
public enum LatencyText {
  /// A time in milliseconds, with two digits after the point where it has some: `12.67`.
  public static func milliseconds(_ seconds: Double) -> String {
    let value = (seconds * 100_000).rounded() / 100
    return value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : "\(value)"
  }
}
