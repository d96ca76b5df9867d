import AudioTypes
public import Diagnostics
import PatchSyntax

/// The rule about the time that rendering a patch takes. Only a measurement can check it.
enum MeasuredLoad {
  static let rule = Rule(
    "PR0232", "limit/load",
    "a patch renders within the load that '--max-load' allows",
    page: .init(
      "A patch takes no more of the time that it has to be rendered in than '--max-load' allows.",
      because: """
        `patchrun bench --max-load 20` renders a patch as fast as it can, and fails where that takes more
        than 20 % of the time that it sounds: a test for CI that nothing has become too slow for the
        machine that plays it. It is said at the part of the patch that takes most. What is measured
        depends on the machine, and on what else runs on it: leave some room.
        """,
      example: .none("It is the machine that decides, and not the patch.")))
}

extension BuiltPatch {
  /// A part of a patch whose rendering time is measured.
  public enum MeasuredPart: Hashable, Sendable {
    case node(String)
    case callback(String)
    case tap(String)
  }

  /// The diagnostic of a load above the allowed one, at the part that takes most of it.
  ///
  /// - Parameters:
  ///   - load: The time that rendering took divided by the time rendered.
  ///   - allowed: The greatest load that is allowed.
  ///   - costliest: The part that takes most of the rendering time, and its share of it, 0 to 1;
  ///     `nil` where no part of the patch stands out.
  public func diagnostic(
    ofLoad load: Double, above allowed: Double,
    costliest: (part: MeasuredPart, share: Double)?
  ) -> Diagnostic {
    let json = costliest.flatMap { value(of: $0.part) } ?? document?.root
    let help =
      costliest == nil
      ? "no single part of the patch takes most of it: longer slices cost less, '--slice 1024'"
      : "'patchrun bench' lists what each part takes"
    return MeasuredLoad.rule.diagnostic(
      .tooMuch(load, allowed, costliest), at: json?.markRange ?? 0..<0,
      pointer: json?.pointer.description, help: [help])
  }

  private func value(of part: MeasuredPart) -> JSONValue? {
    switch part {
    case .node(let name): document?.nodes.first { $0.name == name }?.value.json
    case .callback(let name): document?.callbacks.first { $0.name == name }?.value.json
    case .tap(let name): document?.taps.first { $0.name == name }?.value.json
    }
  }
}

extension Diagnostic.Message {
  fileprivate static func tooMuch(
    _ load: Double, _ allowed: Double,
    _ costliest: (part: BuiltPatch.MeasuredPart, share: Double)?
  ) -> Self {
    let text =
      "rendering takes \(percent(load)) of the time, and \(percent(allowed)) is allowed"
    guard let costliest else { return .init(text) }
    let name =
      switch costliest.part {
      case .node(let name), .callback(let name), .tap(let name): name
      }
    return .init("\(text); '\(name)' takes most, \(percent(costliest.share)) of it")
  }

  /// A share in percent, such as `12.3 %`; with three decimals below 1 %, and four below 0.1 %.
  private static func percent(_ share: Double) -> String {
    let value = share * 100
    let factor = value < 0.1 ? 10_000.0 : value < 1 ? 1000.0 : 10.0
    return "\(rateText((value * factor).rounded() / factor)) %"
  }
}
