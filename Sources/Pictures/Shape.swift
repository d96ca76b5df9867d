/// A place on a page, in pixels from its upper left corner.
public struct Point: Hashable, Sendable {
  /// To the right.
  public var x: Double
  /// Downwards.
  public var y: Double

  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

/// A rectangle on a page, in pixels.
public struct Box: Hashable, Sendable {
  /// The x of the left edge.
  public var x: Double
  /// The y of the upper edge.
  public var y: Double
  public var width: Double
  /// Downwards.
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The x of the right edge.
  public var right: Double { x + width }
  /// The y of the lower edge.
  public var bottom: Double { y + height }
}

/// A line of text.
public struct Label: Hashable, Sendable {
  /// Which end of the text is at the point.
  public enum Anchor: String, Hashable, Sendable {
    case start
    case middle
    case end
  }

  /// A line, without control characters.
  public var text: String
  /// The place of the anchor, on the base line.
  public var point: Point
  /// The size of the letters, in pixels.
  public var size: Double
  /// Its colour.
  public var ink: Ink
  /// Which end of the text is at `point`.
  public var anchor: Anchor
  /// Whether the letters are bold.
  public var isBold: Bool

  public init(
    _ text: String, _ point: Point, size: Double = 11, ink: Ink = .text, anchor: Anchor = .start,
    isBold: Bool = false
  ) {
    self.text = text
    self.point = point
    self.size = size
    self.ink = ink
    self.anchor = anchor
    self.isBold = isBold
  }
}

/// A part of a drawing.
public indirect enum Shape: Hashable, Sendable {
  case box(Box, Ink, opacity: Double = 1)
  /// Points joined by straight lines.
  case line([Point], Ink, width: Double = 1, isDashed: Bool = false)
  /// A closed polygon, filled.
  case area([Point], Ink, opacity: Double = 1)
  /// Separate strokes, each between a pair of points.
  case strokes([Point], Ink, width: Double = 1)
  case raster(Raster, Box)
  case label(Label)
  /// Shapes that are drawn only inside the box.
  case clipped(Box, [Shape])
}

/// Pixels, row after row from the top.
public struct Raster: Hashable, Sendable {
  public let width: Int
  /// In pixels.
  public let height: Int
  /// `0xRRGGBB`
  public internal(set) var pixels: [UInt32]

  /// - Parameter pixels: `width * height` of them.
  public init(width: Int, height: Int, pixels: [UInt32]) {
    precondition(
      width > 0 && height > 0 && pixels.count == width * height, "each place has a pixel")
    self.width = width
    self.height = height
    self.pixels = pixels
  }
}

/// Shapes on a page, the first at the bottom. SVG and PNG files are made from it.
public struct Drawing: Hashable, Sendable {
  /// In pixels.
  public var width: Double
  /// In pixels.
  public var height: Double
  /// The title of the drawing.
  public var title: String
  /// A description for those who cannot see it.
  public var summary: String
  /// The colours.
  public var theme: Theme
  /// The shapes, the first at the bottom.
  public var shapes: [Shape]

  public init(
    width: Double, height: Double, title: String, summary: String, theme: Theme = .auto,
    shapes: [Shape] = []
  ) {
    self.width = width
    self.height = height
    self.title = title
    self.summary = summary
    self.theme = theme
    self.shapes = shapes
  }
}
