/// Formats latencies.
public enum LatencyText {
  /// Milliseconds with at most two decimals: `12.67`.
  public static func milliseconds(_ seconds: Double) -> String {
    let value = (seconds * 100_000).rounded() / 100
    return value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : "\(value)"
  }
}
