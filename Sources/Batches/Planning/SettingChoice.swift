import Diagnostics
public import PatchSyntax
import RenderCore

/// The values of a setting in a plan.
public enum SettingChoice: Sendable, Hashable {
  /// The same value in every job.
  case fixed(JSONText)
  /// Each value in a job of its own.
  case each([JSONText])
  /// One of the values, at random.
  case choice([JSONText])
  /// A random value, uniformly distributed.
  case uniform(Double, Double)
  /// A random value whose logarithm is uniformly distributed.
  case logUniform(Double, Double)

  static let names = ["choice", "uniform", "logUniform"]

  /// Reads a setting of a plan: a list is `each`, an object with one member says how to draw,
  /// anything else is the value itself.
  init(_ json: JSONValue, of pointer: String) throws(JobFault) {
    func fault(_ message: String, help: [String] = []) -> JobFault {
      JobFault(BatchRules.plan, "the setting \(quoted(pointer)): \(message)", help: help)
    }
    switch json.kind {
    case .array:
      let values = json.elements.map(JSONText.init)
      guard !values.isEmpty else { throw fault("an empty list gives no job") }
      self = .each(values)
    case .object:
      let members = Array(json.members)
      guard members.count == 1, let name = members[0].key.string else {
        throw fault("an object has one member that says how a value is drawn")
      }
      let values = Array(members[0].value.elements)
      switch name {
      case "choice":
        guard !values.isEmpty else { throw fault("nothing can be drawn from nothing") }
        self = .choice(values.map(JSONText.init))
      case "uniform", "logUniform":
        guard values.count == 2, let low = values[0].number, let high = values[1].number,
          low <= high, low.isFinite, high.isFinite
        else { throw fault("\(name) has two numbers, the lower one first") }
        guard name == "uniform" || low > 0 else { throw fault("logUniform is of numbers above 0") }
        self = name == "uniform" ? .uniform(low, high) : .logUniform(low, high)
      default:
        throw fault(
          "there is no way \(quoted(name)) to draw a value",
          help: [didYouMean(name, among: Self.names) ?? "there are choice, uniform, logUniform"])
      }
    default: self = .fixed(JSONText(json))
    }
  }

  /// The value for a job.
  ///
  /// - Parameters:
  ///   - index: The index into the values of `each`.
  ///   - id: The id of the job. A random value depends only on it, the seed and the pointer.
  func value(_ index: Int, seed: Int, id: String, pointer: String) -> JSONText {
    switch self {
    case .fixed(let value): value
    case .each(let values): values[index]
    case .choice(let values):
      values[min(values.count - 1, Int(Self.draw(seed, id, pointer) * Double(values.count)))]
    case .uniform(let low, let high):
      .number(low + (high - low) * Self.draw(seed, id, pointer))
    case .logUniform(let low, let high):
      .number(min(high, low * renderExp(renderLog(high / low) * Self.draw(seed, id, pointer))))
    }
  }

  /// A number from 0 to below 1, one of 2^53.
  private static func draw(_ seed: Int, _ id: String, _ pointer: String) -> Double {
    var hashing = Hashing()
    hashing.add("patchrun draw 1")
    hashing.add("\(seed)")
    hashing.add(id)
    hashing.add(pointer)
    return Double(hashing.finish().words.0 >> 11) * 0x1p-53
  }
}
