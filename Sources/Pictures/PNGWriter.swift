import CCairo

extension PictureFormat {
  /// Why the drawing cannot be written in this format here; `nil` where it can. Cairo draws pixels,
  /// and may be missing.
  public func problem(of drawing: Drawing) -> String? {
    self == .png || drawing.shapes.contains(where: \.hasPixels) ? Self.cairoProblem : nil
  }

  /// The same, as far as it is known without a drawing.
  var problem: String? { self == .png ? Self.cairoProblem : nil }

  private static var cairoProblem: String? {
    guard let reason = unsafe ccairo_load() else { return nil }
    return unsafe "cairo, which draws it, cannot be loaded (\(String(cString: reason)))"
  }
}

extension Shape {
  fileprivate var hasPixels: Bool {
    switch self {
    case .raster: true
    case .clipped(_, let shapes): shapes.contains(where: \.hasPixels)
    default: false
    }
  }
}

extension Drawing {
  /// The drawing as a PNG file, with one pixel of the file for each of the drawing.
  ///
  /// It requires that `PictureFormat.png.problem(of:)` is `nil`.
  public func png() -> [UInt8] {
    let canvas = Canvas(width: Int(width.rounded(.up)), height: Int(height.rounded(.up)))
    canvas.draw(self)
    return canvas.png()
  }
}

extension Raster {
  /// The pixels as a PNG file.
  func png() -> [UInt8] {
    let canvas = Canvas(width: width, height: height)
    canvas.fill(self)
    return canvas.png()
  }
}

/// Draws shapes into memory, with cairo.
///
/// `@safe`: it owns its pointers, and writes no more pixels than there are.
@safe
private struct Canvas: ~Copyable {
  private let surface: OpaquePointer
  private let context: OpaquePointer
  private let width: Int
  private let height: Int

  init(width: Int, height: Int) {
    // Without memory, cairo returns objects that accept all calls and do nothing.
    guard
      let surface = unsafe cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, Int32(clamping: width), Int32(clamping: height)),
      let context = unsafe cairo_create(surface)
    else { preconditionFailure("cairo answers with an object in any case") }
    unsafe self.surface = surface
    unsafe self.context = context
    self.width = width
    self.height = height
    let options = unsafe cairo_font_options_create()
    unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT)
    unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    unsafe cairo_set_font_options(context, options)
    unsafe cairo_font_options_destroy(options)
    unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
  }

  deinit {
    unsafe cairo_destroy(context)
    unsafe cairo_surface_destroy(surface)
  }

  // MARK: Drawing

  func draw(_ drawing: Drawing) {
    let isDark = drawing.theme == .dark
    let page = Box(x: 0, y: 0, width: drawing.width, height: drawing.height)
    draw(.box(page, .page), isDark)
    for shape in drawing.shapes { draw(shape, isDark) }
  }

  private func draw(_ shape: Shape, _ isDark: Bool) {
    switch shape {
    case .box(let box, let ink, let opacity):
      set(ink, opacity, isDark)
      outline(box)
      unsafe cairo_fill(context)
    case .line(let points, let ink, let width, let isDashed):
      guard points.count > 1 else { return }
      set(ink, 1, isDark)
      trace(points)
      unsafe cairo_set_line_width(context, width)
      if isDashed { unsafe cairo_set_dash(context, [5, 4], 2, 0) }
      unsafe cairo_stroke(context)
      if isDashed { unsafe cairo_set_dash(context, nil, 0, 0) }
    case .area(let points, let ink, let opacity):
      guard points.count > 2 else { return }
      set(ink, opacity, isDark)
      trace(points)
      unsafe cairo_close_path(context)
      unsafe cairo_fill(context)
    case .strokes(let points, let ink, let width):
      guard points.count > 1 else { return }
      set(ink, 1, isDark)
      for index in stride(from: 0, to: points.count - 1, by: 2) {
        unsafe cairo_move_to(context, points[index].x, points[index].y)
        unsafe cairo_line_to(context, points[index + 1].x, points[index + 1].y)
      }
      unsafe cairo_set_line_width(context, width)
      unsafe cairo_stroke(context)
    case .raster(let raster, let box): draw(raster, box)
    case .label(let label): draw(label, isDark)
    case .clipped(let box, let shapes):
      unsafe cairo_save(context)
      outline(box)
      unsafe cairo_clip(context)
      for shape in shapes { draw(shape, isDark) }
      unsafe cairo_restore(context)
    }
  }

  private func draw(_ label: Label, _ isDark: Bool) {
    set(label.ink, 1, isDark)
    unsafe cairo_select_font_face(
      context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
      label.isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL)
    unsafe cairo_set_font_size(context, label.size)
    let text = label.text.filter { $0 != "\0" }
    var extents = cairo_text_extents_t()
    unsafe cairo_text_extents(context, text, &extents)
    let before =
      switch label.anchor {
      case .start: 0.0
      case .middle: extents.x_advance / 2
      case .end: extents.x_advance
      }
    unsafe cairo_move_to(context, label.point.x - before, label.point.y)
    unsafe cairo_show_text(context, text)
    unsafe cairo_new_path(context)
  }

  private func draw(_ raster: Raster, _ box: Box) {
    let source = Canvas(width: raster.width, height: raster.height)
    source.fill(raster)
    unsafe cairo_save(context)
    outline(box)
    unsafe cairo_clip(context)
    unsafe cairo_translate(context, box.x, box.y)
    unsafe cairo_scale(
      context, box.width / Double(raster.width), box.height / Double(raster.height))
    unsafe cairo_set_source_surface(context, source.surface, 0, 0)
    unsafe cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST)
    unsafe cairo_paint(context)
    unsafe cairo_restore(context)
  }

  private func set(_ ink: Ink, _ opacity: Double, _ isDark: Bool) {
    let color = ink.color(isDark: isDark)
    unsafe cairo_set_source_rgba(
      context, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255, opacity
    )
  }

  private func outline(_ box: Box) {
    unsafe cairo_rectangle(context, box.x, box.y, box.width, box.height)
  }

  private func trace(_ points: [Point]) {
    for point in points { unsafe cairo_line_to(context, point.x, point.y) }
  }

  /// Sets each pixel from a raster of the canvas's size.
  func fill(_ raster: Raster) {
    precondition(raster.width == width && raster.height == height, "each pixel has its own")
    unsafe cairo_surface_flush(surface)
    guard let data = unsafe cairo_image_surface_get_data(surface) else { return }
    let stride = unsafe Int(cairo_image_surface_get_stride(surface))
    let memory = unsafe UnsafeMutableRawBufferPointer(start: data, count: stride * height)
    for row in 0..<height {
      for column in 0..<width {
        unsafe memory.storeBytes(
          of: raster.pixels[row * width + column], toByteOffset: row * stride + column * 4,
          as: UInt32.self)
      }
    }
    unsafe cairo_surface_mark_dirty(surface)
  }

  // MARK: Writing

  private final class Bytes {
    var bytes: [UInt8] = []
  }

  func png() -> [UInt8] {
    let sink = Bytes()
    unsafe cairo_surface_flush(surface)
    _ = withExtendedLifetime(sink) {
      unsafe cairo_surface_write_to_png_stream(
        surface,
        { sink, data, count in
          guard let sink = unsafe sink, let data = unsafe data else {
            return CAIRO_STATUS_WRITE_ERROR
          }
          unsafe Unmanaged<Bytes>.fromOpaque(sink).takeUnretainedValue().bytes
            .append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
          return CAIRO_STATUS_SUCCESS
        }, Unmanaged.passUnretained(sink).toOpaque())
    }
    return sink.bytes
  }
}
