public import Pictures

extension Response {
  /// The channels; only the first where all have the same response.
  public var distinctChannels: [Channel] {
    guard let first = channels.first, channels.count > 1 else { return channels }
    let areEqual = channels.dropFirst().allSatisfy { channel in
      channel.magnitude.indices.allSatisfy { index in
        let (left, right) = (first.magnitude[index], channel.magnitude[index])
        let turn = (first.phase[index] - channel.phase[index]).magnitude
        return (left == right || (left - right).magnitude < 1e-4)
          && !(turn > 0.01 && turn < 359.99)
      }
    }
    return areEqual ? [first] : channels
  }

  /// The name of a channel in a figure or a table; empty where there is only one distinct channel.
  public func name(of channel: Channel) -> String {
    guard distinctChannels.count > 1 else { return "" }
    return channels.count == 2 && Set(channels.map(\.number)) == [0, 1]
      ? ["left", "right"][channel.number] : "channel \(channel.number)"
  }

  /// A figure of magnitude, phase and group delay, one above the other.
  public func figure(
    title: String, caption: [String], width: Double, height: Double, theme: Theme
  ) -> Figure {
    let shown = distinctChannels
    let domain = frequencies[0]...frequencies[frequencies.count - 1]
    var figure = Figure(
      title: title, caption: caption, width: width, height: height, theme: theme,
      axis: .frequency(domain, .logarithmic, count: 1),
      panels: [("Magnitude", 1.7), ("Phase", 1.0), ("Group delay", 0.8)].map {
        Panel($0.0, Axis("", domain: 0...1), marks: [], weight: $0.1)
      },
      legend: shown.count < 2
        ? []
        : shown.enumerated().map { index, channel in
          LegendEntry(name(of: channel), .line(.series(index), isDashed: index % 2 == 1))
        })
    let layout = figure.layout
    figure.axis = .frequency(domain, .logarithmic, count: layout.columns)
    figure.panels[0].axis = .decibels("dB", magnitudes(shown), count: layout.rows(0))
    figure.panels[1].axis = .degrees(
      latencyFrames == 0 ? "degrees" : "degrees, without the latency", phases(shown),
      count: layout.rows(1))
    figure.panels[2].axis = .numbers("ms", delays(shown), count: layout.rows(2))
    for (index, channel) in shown.enumerated() {
      let isDashed = index % 2 == 1
      func line(_ values: [Double]) -> Mark {
        .line(
          zip(frequencies, values).map { Point($0, $1) }, .series(index), width: 1.8,
          isDashed: isDashed)
      }
      figure.panels[0].marks.append(line(channel.magnitude.map { max($0, -1000) }))
      figure.panels[1].marks.append(phaseLine(channel, .series(index), isDashed))
      figure.panels[2].marks.append(line(channel.groupDelay.map { $0 * 1000 }))
    }
    return figure
  }

  /// A line that is broken where the phase wraps around.
  private func phaseLine(_ channel: Channel, _ ink: Ink, _ isDashed: Bool) -> Mark {
    var points: [Point] = []
    var last = Double.nan
    for (frequency, phase) in zip(frequencies, channel.phase) {
      if (phase - last).magnitude > 180 { points.append(Point(frequency, .nan)) }
      points.append(Point(frequency, phase))
      last = phase
    }
    return .line(points, ink, width: 1.8, isDashed: isDashed)
  }

  // MARK: Extents

  private func magnitudes(_ channels: [Channel]) -> ClosedRange<Double> {
    let values = channels.flatMap(\.magnitude).filter(\.isFinite)
    guard let highest = values.max(), let lowest = values.min() else { return -6...6 }
    var top = ((highest + 0.5) / 6).rounded(.up) * 6
    var bottom = ((max(lowest, highest - 120) - 0.5) / 6).rounded(.down) * 6
    if top - bottom < 12 {
      top += 3
      bottom -= 3
    }
    return bottom...top
  }

  private func phases(_ channels: [Channel]) -> ClosedRange<Double> {
    let values = channels.flatMap(\.phase).filter(\.isFinite)
    let most = values.reduce(0) { max($0, $1.magnitude) }
    let limit = [15.0, 30, 45, 90].first { $0 >= most } ?? 180
    return -limit...limit
  }

  private func delays(_ channels: [Channel]) -> ClosedRange<Double> {
    let values = channels.flatMap(\.groupDelay).filter(\.isFinite).map { $0 * 1000 }
    guard let highest = values.max(), let lowest = values.min() else { return 0...1 }
    let room = max(0.02, (highest - lowest) * 0.08, highest.magnitude * 0.02)
    return (lowest - room)...(highest + room)
  }
}
