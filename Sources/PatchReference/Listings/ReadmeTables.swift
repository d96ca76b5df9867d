/// The parts of the README that are printed by the program, each between marks of its own:
/// `<!-- units:begin -->` and `<!-- units:end -->`.
public enum ReadmeTables {
  /// A part: the name in its marks, and what stands between them.
  public struct Section: Hashable, Sendable {
    public var name: String
    public var text: String
  }

  /// The units, the callbacks, the expressions, the taps, the expectations.
  public static var sections: [Section] {
    [
      Section(name: "units", text: UnitListing().markdown()),
      Section(name: "callbacks", text: CallbackListing.markdown()),
      Section(name: "expressions", text: CallbackListing.expressionsMarkdown()),
      Section(name: "taps", text: CallbackListing.tapsMarkdown()),
      Section(name: "expectations", text: ExpectationListing.markdown()),
    ]
  }

  /// All parts with their marks, to be put into the README: what `patchrun units --markdown` prints.
  public static func text() -> String {
    sections.map { section in
      "<!-- \(section.name):begin -->\n\(section.text)<!-- \(section.name):end -->\n"
    }.joined(separator: "\n")
  }
}
