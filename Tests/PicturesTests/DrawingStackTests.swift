import Pictures
import TestSupport
import Testing

struct DrawingStackTests {
  @Test func `a drawing below another is the same, as much lower as that one is high`() {
    let shapes: [Shape] = [
      .box(Box(x: 1, y: 2, width: 3, height: 4), .plot),
      .line([Point(1, 2), Point(3, 4)], .axis, width: 2, isDashed: true),
      .area([Point(1, 2), Point(3, 4), Point(5, 6)], .muted, opacity: 0.5),
      .strokes([Point(1, 2), Point(3, 4)], .grid),
      .raster(Raster(width: 1, height: 1, pixels: [7]), Box(x: 0, y: 0, width: 1, height: 1)),
      .label(Label("a", Point(5, 6))),
      .clipped(
        Box(x: 0, y: 1, width: 9, height: 9), [.box(Box(x: 0, y: 0, width: 1, height: 1), .text)]),
    ]
    func drawing(_ title: String, _ height: Double, _ shapes: [Shape]) -> Drawing {
      Drawing(width: 100, height: height, title: title, summary: title, shapes: shapes)
    }
    let stack = Drawing(stacking: [drawing("one", 50, [shapes[0]]), drawing("two", 30, shapes)])
    #expect(stack.width == 100 && stack.height == 80)
    #expect(stack.title == "one" && stack.summary == "one two")
    #expect(
      stack.shapes == [
        shapes[0],
        .box(Box(x: 1, y: 52, width: 3, height: 4), .plot),
        .line([Point(1, 52), Point(3, 54)], .axis, width: 2, isDashed: true),
        .area([Point(1, 52), Point(3, 54), Point(5, 56)], .muted, opacity: 0.5),
        .strokes([Point(1, 52), Point(3, 54)], .grid),
        .raster(Raster(width: 1, height: 1, pixels: [7]), Box(x: 0, y: 50, width: 1, height: 1)),
        .label(Label("a", Point(5, 56))),
        .clipped(
          Box(x: 0, y: 51, width: 9, height: 9),
          [.box(Box(x: 0, y: 50, width: 1, height: 1), .text)]),
      ])
  }
}
