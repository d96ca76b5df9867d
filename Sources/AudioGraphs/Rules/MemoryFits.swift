public import AudioTypes
import AudioUnits
import RenderCore

/// The memory of units, callbacks and taps stays below the limit. Checked before anything is
/// allocated.
public enum MemoryFits {
  /// The rule of the memory limit.
  public static let rule = Rule(
    "PR0231", "limit/memory",
    "what a graph takes of memory is no more than the limit allows",
    statuses: [.failedInitialization],
    page: .init(
      "Units, callbacks and taps take no more memory than the limit, about: 384 MB.",
      because: """
        Echoes keep up to ten seconds of what they have heard, convolutions their responses, files what is
        read ahead, and each bus its buffers. What all of it takes is added up before any of it is
        allocated. `--limit memory=2G` allows more.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        """
        {
          "streamFormat": { "sample": "float32", "channels": 32, "sampleRate": 384000 },
          "callbacks": {
            "tone": { "kind": "tone" },
            "echo": { "kind": "echo", "from": "tone", "delay": 1 }
          },
          "nodes": { "out": { "component": "GenericOutput" } },
          "connections": [ { "from": "echo", "to": "out" } ]
        }
        """, wrong: ["\"delay\": 1": "\"delay\": 10"])))

  /// The bytes of each callback that feeds an input, beside the memory for its own work.
  public static let bytesOfCallback = 4096
  private static let bytesOfTap = 16_384
  /// The bytes of a unit and, below, of each of its buses. Plans share their buffers, so that
  /// slices do not count.
  private static let bytesOfUnit = 10_240
  private static let bytesOfBus = 512
  private static let bytesOfUsedBus = 1024

  /// The violation, at the part that needs most memory; `nil` where everything fits.
  static func violation(
    in model: GraphModel, _ configurations: [NodeID: UnitConfiguration], limit: Int
  ) -> Violation? {
    var total = 0
    var greatest = (bytes: -1, place: Violation.Place.graph)
    func add(_ bytes: Int, _ place: @autoclosure () -> Violation.Place) {
      total = total.addingReportingOverflow(bytes).overflow ? .max : total + bytes
      if bytes > greatest.bytes { greatest = (bytes, place()) }
    }
    for index in model.nodes.indices {
      let id = model.nodes[index].id
      guard let configuration = configurations[id] else { continue }
      add(bytes(of: model.nodes[index].unit, configuration), .init(node: id, .whole))
    }
    for interaction in model.interactions {
      guard case .callback(let callback) = interaction,
        let configuration = configurations[callback.destination],
        configuration.inputs.indices.contains(callback.input)
      else { continue }
      let format = configuration.inputs[callback.input].format
      for (behind, link) in callback.instances.enumerated() {
        let own = link.memory(
          for: format, maximumFramesPerSlice: configuration.maximumFramesPerSlice)
        add(
          bytesOfCallback + own,
          .init(
            node: callback.destination,
            behind == 0 ? .feed(callback.input) : .callback(callback.input, behind: behind)))
      }
    }
    for tap in model.taps {
      guard let configuration = configurations[tap.node],
        configuration.outputs.indices.contains(tap.output)
      else { continue }
      let own = tap.tap.memory(
        for: configuration.outputs[tap.output].format,
        maximumFramesPerSlice: configuration.maximumFramesPerSlice)
      add(bytesOfTap + own, tap.place)
    }
    guard total > limit else { return nil }
    return Violation(
      rule, status: .failedInitialization,
      "the patch takes about \(megabytes(total)) of memory, and \(megabytes(limit)) are allowed; "
        + "this takes most, \(megabytes(greatest.bytes))", at: greatest.place,
      help: [
        "shorten what is long, use fewer of them, or where it is meant, "
          + "`--limit memory=\(wholeMegabytes(total))M` allows it"
      ])
  }

  private static func bytes(
    of unit: any AudioUnit.Type, _ configuration: UnitConfiguration
  ) -> Int {
    let start = bytesOfUnit + unit.memory(in: configuration)
    func bytes(of elements: [UnitConfiguration.Element]) -> Int {
      elements.reduce(0) { $0 + bytesOfBus + ($1.isUsed ? bytesOfUsedBus : 0) }
    }
    return start + bytes(of: configuration.inputs) + bytes(of: configuration.outputs)
  }

  private static func wholeMegabytes(_ bytes: Int) -> Int { max(1, bytes >> 20 + 1) }

  private static func megabytes(_ bytes: Int) -> String {
    bytes < 1 << 20 ? "\((bytes + 1023) >> 10) KB" : "\((bytes + 1 << 19) >> 20) MB"
  }
}
