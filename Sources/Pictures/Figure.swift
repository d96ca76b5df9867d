/// Something plotted in a panel. Values are those of the panel's axes; what is not a finite number is a
/// gap.
public enum Mark: Sendable {
  case line([Point], Ink, width: Double = 1.5, isDashed: Bool = false)
  /// What lies between a lower and an upper curve: for each x two values.
  case band([Band], Ink, opacity: Double = 1)
  case raster(Raster)
  /// A line across, with what it says at its end.
  case rule(Double, Ink, text: String = "")
  /// Short strokes at the upper edge, and with `isMirrored` at the lower one, too.
  case flags([Double], Ink, isMirrored: Bool = false)

  /// A stretch between two values at one place.
  public struct Band: Hashable, Sendable {
    /// In the unit of the horizontal axis.
    public var x: Double
    /// In the unit of the vertical axis.
    public var low: Double
    /// In the unit of the vertical axis, not below `low`.
    public var high: Double

    public init(_ x: Double, _ low: Double, _ high: Double) {
      self.x = x
      self.low = low
      self.high = high
    }
  }
}

/// One plot of a figure.
public struct Panel: Sendable {
  /// What it shows: a channel, say.
  public var name: String
  /// The vertical one.
  public var axis: Axis
  /// What is drawn, the first at the bottom.
  public var marks: [Mark]
  /// How much of the height it takes beside the others.
  public var weight: Double

  public init(_ name: String, _ axis: Axis, marks: [Mark], weight: Double = 1) {
    self.name = name
    self.axis = axis
    self.marks = marks
    self.weight = weight
  }
}

/// What a colour or a line stands for.
public struct LegendEntry: Hashable, Sendable {
  /// What is drawn beside a text of the legend.
  public enum Sample: Hashable, Sendable {
    case line(Ink, isDashed: Bool = false)
    case patch(Ink, opacity: Double = 1)
  }
  /// What the mark is called.
  public var text: String
  /// What it looks like.
  public var sample: Sample

  public init(_ text: String, _ sample: Sample) {
    self.text = text
    self.sample = sample
  }
}

/// Plots above one another with one horizontal axis: becomes a drawing.
public struct Figure: Sendable {
  /// What stands above all panels.
  public var title: String
  /// What is to be known besides, a line each.
  public var caption: [String]
  /// In pixels.
  public var width: Double
  /// In pixels.
  public var height: Double
  /// The colours.
  public var theme: Theme
  /// The horizontal one, for all panels.
  public var axis: Axis
  /// From the top.
  public var panels: [Panel]
  /// In order; empty for none.
  public var legend: [LegendEntry]
  /// What the colours of a raster mean.
  public var colors: Axis?

  public init(
    title: String, caption: [String] = [], width: Double, height: Double, theme: Theme = .auto,
    axis: Axis, panels: [Panel] = [], legend: [LegendEntry] = [], colors: Axis? = nil
  ) {
    self.title = title
    self.caption = caption
    self.width = width
    self.height = height
    self.theme = theme
    self.axis = axis
    self.panels = panels
    self.legend = legend
    self.colors = colors
  }
}

// MARK: - Where things are

/// Where the parts of a figure are, in whole pixels.
public struct FigureLayout: Hashable, Sendable {
  static let margin = 18.0
  static let left = 52.0
  /// Of a colour bar and its texts.
  static let bar = 74.0
  static let panelName = 24.0

  /// The plots, the uppermost first.
  public let plots: [Box]

  /// How many ticks there is room for across a plot, and along the first one's height.
  public var columns: Int { max(2, Int((plots.first?.width ?? 0) / 82)) }
  /// How many rows of text a panel has room for.
  public func rows(_ panel: Int) -> Int { max(2, Int(plots[panel].height / 26)) }

  /// - Parameter weights: Of the panels.
  public init(
    width: Double, height: Double, captionLines: Int, hasLegend: Bool, hasColors: Bool,
    weights: [Double]
  ) {
    let top =
      Self.margin + 16 + Double(captionLines) * 17 + (hasLegend ? 19 : 0) + 2
    let bottom = height - Self.margin - 34
    let plotWidth = width - 2 * Self.margin - Self.left - (hasColors ? Self.bar : 6)
    let room = max(
      Double(weights.count) * 10, bottom - top - Self.panelName * Double(weights.count))
    let sum = weights.reduce(0, +)
    var y = top
    var plots: [Box] = []
    for weight in weights {
      let height = (room * weight / sum).rounded(.down)
      plots.append(
        Box(
          x: Self.margin + Self.left, y: (y + Self.panelName).rounded(),
          width: max(10, plotWidth).rounded(.down), height: max(10, height)))
      y += Self.panelName + height
    }
    self.plots = plots
  }
}

extension Figure {
  /// Where each part goes, in pixels.
  public var layout: FigureLayout {
    FigureLayout(
      width: width, height: height, captionLines: caption.count, hasLegend: !legend.isEmpty,
      hasColors: colors != nil, weights: panels.map(\.weight))
  }

  /// - Parameter summary: What is to be seen, for those who cannot see it; otherwise the caption.
  public func drawing(summary: String = "") -> Drawing {
    var drawer = FigureDrawer(figure: self, layout: layout)
    drawer.draw()
    return Drawing(
      width: width, height: height, title: title,
      summary: summary.isEmpty ? caption.joined(separator: " ") : summary, theme: theme,
      shapes: drawer.shapes)
  }
}
