package import AudioTypes
import AudioUnits
import RenderCore

/// A ramp of a callback moves a live setting that can ramp, to a value that it may have.
package enum LiveSettingsMove {
  package static let rule = Rule(
    "PR0558", "callback/live-setting",
    "what is ramped of a callback can ramp while it plays, and may have the value",
    statuses: [.invalidParameter, .parameterError],
    page: .init(
      "What is ramped of a callback can ramp while it plays, and may have the value that it goes to.",
      because: """
        Some settings of callbacks are turned while they play, as the parameters of units are: a gain,
        a frequency, an echo's delay, the constants of an expression. They go there in a straight
        line, and the sound goes on. Others are one value or another, or make another sound of it: a
        file's path, the shape of a wave. An update of the timeline sets those, and the one sound
        fades into the other. `patchrun man 5` says which is which.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\n}",
          with: """
            ,
              "timeline": [
                {
                  "at": 1,
                  "ramp": { "path": "/callbacks/tone/frequency", "to": 880, "duration": 2 }
                }
              ]
            }
            """),
        wrong: ["/callbacks/tone/frequency": "/callbacks/tone/phase"])))

  /// The control that a ramp moves.
  static func control(
    of ramp: ParameterRamp, _ instance: CallbackInstance
  ) throws(Violation) -> (block: ControlBlock, index: Int) {
    guard let setting = instance.settings.first(where: { $0.id == ramp.parameter }) else {
      throw Violation(
        rule, status: .invalidParameter,
        "the callback has no live setting of the number \(ramp.parameter)", at: ramp.place)
    }
    do throws(CallbackProblem) {
      // The decimal digits that the float prints: 0.1, and not 0.10000000149.
      return try instance.rampControl(
        setting.key, to: Double("\(ramp.target)") ?? Double(ramp.target))
    } catch {
      throw violation(error, ramp)
    }
  }

  /// The violations of a ramp of a live setting by the format of its callback.
  static func violations(
    _ ramp: ParameterRamp, in model: GraphModel, _ configurations: [NodeID: UnitConfiguration]
  ) -> [Violation] {
    guard let instance = ramp.instance(in: model),
      let inputs = configurations[ramp.node]?.inputs, inputs.indices.contains(ramp.element),
      let setting = instance.settings.first(where: { $0.id == ramp.parameter })
    else { return [] }
    let format = inputs[ramp.element].format
    // A callback with problems of its own has been reported already.
    guard instance.problems(for: format).isEmpty else { return [] }
    let target = Double("\(ramp.target)") ?? Double(ramp.target)
    return instance.problems(for: format, setting: setting.key, to: target).map {
      violation($0, ramp)
    }
  }

  private static func violation(_ problem: CallbackProblem, _ ramp: ParameterRamp) -> Violation {
    Violation(
      rule, status: problem.status, problem.message, at: ramp.place, setting: problem.setting,
      help: problem.help.isEmpty ? [] : [problem.help])
  }
}
