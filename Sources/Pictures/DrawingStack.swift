extension Drawing {
  /// Drawings below one another, each as wide as the widest: for figures whose horizontal axes
  /// differ.
  ///
  /// - Parameter title: The title of the whole; where it is empty, that of the first.
  public init(stacking drawings: [Drawing], title: String = "") {
    var shapes: [Shape] = []
    var height = 0.0
    for drawing in drawings {
      shapes += drawing.shapes.map { $0.lowered(by: height) }
      height += drawing.height
    }
    self.init(
      width: drawings.map(\.width).max() ?? 0, height: height,
      title: title.isEmpty ? drawings.first?.title ?? "" : title,
      summary: drawings.map(\.summary).filter { !$0.isEmpty }.joined(separator: " "),
      theme: drawings.first?.theme ?? .auto, shapes: shapes)
  }
}

extension Shape {
  fileprivate func lowered(by y: Double) -> Shape {
    switch self {
    case .box(let box, let ink, let opacity): .box(box.lowered(by: y), ink, opacity: opacity)
    case .line(let points, let ink, let width, let isDashed):
      .line(points.map { $0.lowered(by: y) }, ink, width: width, isDashed: isDashed)
    case .area(let points, let ink, let opacity):
      .area(points.map { $0.lowered(by: y) }, ink, opacity: opacity)
    case .strokes(let points, let ink, let width):
      .strokes(points.map { $0.lowered(by: y) }, ink, width: width)
    case .raster(let raster, let box): .raster(raster, box.lowered(by: y))
    case .label(var label):
      {
        label.point = label.point.lowered(by: y)
        return .label(label)
      }()
    case .clipped(let box, let shapes):
      .clipped(box.lowered(by: y), shapes.map { $0.lowered(by: y) })
    }
  }
}

extension Point {
  fileprivate func lowered(by y: Double) -> Point { Point(x, self.y + y) }
}

extension Box {
  fileprivate func lowered(by y: Double) -> Box {
    var box = self
    box.y += y
    return box
  }
}
