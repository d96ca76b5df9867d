public import AudioTypes

extension UnitRules {
  /// Dither is set only on buses on which samples become integers.
  public static let dither = Rule(
    "PR0425", "format/dither",
    "dither is asked of a bus on which samples become integers",
    severity: .warning,
    silencedBy: [.unreadNode, .format],
    page: .init(
      "Dither is asked of a bus on which samples become integers.",
      because: """
        Dither is noise that is added before samples are rounded. A bus of floats rounds nothing, and an
        input that a connection feeds is given what has been rounded before: ask for it on the output
        that the connection comes from.
        """,
      example: .patch(
        ExamplePatches.converter.replacing(
          "\"inputs\": {\n        \"0\": {",
          with:
            "\"inputs\": {\n        \"0\": {\n          \"properties\": { \"dither\": \"tpdf\" },\n         "
        ),
        wrong: ["\"sample\": \"int16\"": "\"sample\": \"float32\""])))
}
