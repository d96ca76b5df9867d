/// Something plotted in a panel, in values of the panel's axes. A value that is not a finite number
/// is a gap.
public enum Mark: Sendable {
  case line([Point], Ink, width: Double = 1.5, isDashed: Bool = false)
  /// The area between a lower and an upper curve: two values for each x.
  case band([Band], Ink, opacity: Double = 1)
  case raster(Raster)
  /// A horizontal line, with a text at its end.
  case rule(Double, Ink, text: String = "")
  /// Short strokes at the upper edge and, with `isMirrored`, at the lower one too.
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
  /// Its subject, such as a channel.
  public var name: String
  /// The vertical axis.
  public var axis: Axis
  /// The marks, the first at the bottom.
  public var marks: [Mark]
  /// Its share of the height, against the weights of the others.
  public var weight: Double

  public init(_ name: String, _ axis: Axis, marks: [Mark], weight: Double = 1) {
    self.name = name
    self.axis = axis
    self.marks = marks
    self.weight = weight
  }
}

/// An entry of the legend: the meaning of a colour or a line.
public struct LegendEntry: Hashable, Sendable {
  /// The sample beside a text of the legend.
  public enum Sample: Hashable, Sendable {
    case line(Ink, isDashed: Bool = false)
    case patch(Ink, opacity: Double = 1)
  }
  /// The name of the mark.
  public var text: String
  /// The look of the mark.
  public var sample: Sample

  public init(_ text: String, _ sample: Sample) {
    self.text = text
    self.sample = sample
  }
}

/// Plots above one another with one horizontal axis, for a drawing.
public struct Figure: Sendable {
  /// The text above all panels.
  public var title: String
  /// Lines below the title.
  public var caption: [String]
  /// In pixels.
  public var width: Double
  /// In pixels.
  public var height: Double
  /// The colours.
  public var theme: Theme
  /// The horizontal axis of all panels.
  public var axis: Axis
  /// The panels, from the top.
  public var panels: [Panel]
  /// The entries of the legend, in order; empty for none.
  public var legend: [LegendEntry]
  /// The meaning of a raster's colours; `nil` for no colour bar.
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

// MARK: - Places

/// The places of a figure's parts, in whole pixels.
public struct FigureLayout: Hashable, Sendable {
  static let margin = 18.0
  static let left = 52.0
  /// The width of a colour bar with its texts.
  static let bar = 74.0
  static let panelName = 24.0

  /// The plots, the uppermost first.
  public let plots: [Box]

  /// How many ticks fit across a plot.
  public var columns: Int { max(2, Int((plots.first?.width ?? 0) / 82)) }
  /// How many rows of text fit along a panel's height.
  public func rows(_ panel: Int) -> Int { max(2, Int(plots[panel].height / 26)) }

  /// - Parameter weights: The weights of the panels.
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
  /// The places of the parts, in pixels.
  public var layout: FigureLayout {
    FigureLayout(
      width: width, height: height, captionLines: caption.count, hasLegend: !legend.isEmpty,
      hasColors: colors != nil, weights: panels.map(\.weight))
  }

  /// - Parameter summary: A description for people who cannot see the picture; the caption where it
  ///   is empty.
  public func drawing(summary: String = "") -> Drawing {
    var drawer = FigureDrawer(figure: self, layout: layout)
    drawer.draw()
    return Drawing(
      width: width, height: height, title: title,
      summary: summary.isEmpty ? caption.joined(separator: " ") : summary, theme: theme,
      shapes: drawer.shapes)
  }
}
