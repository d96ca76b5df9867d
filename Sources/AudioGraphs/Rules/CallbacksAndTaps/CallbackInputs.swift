package import AudioTypes
import RenderCore

/// A processing callback has a feed, and no other callback has one.
package enum CallbackInputs {
  package static let rule = Rule(
    "PR0704", "callback/input",
    "a callback that processes is given something to pull",
    statuses: [.noConnection, .invalidConnection],
    page: .init(
      "A callback that processes is given something to pull, and no other is.",
      because: """
        The guide's callback between two units calls AudioUnitRender on the one in front of it. With
        nothing to pull it would process silence; one that makes its own sound would never hear what
        it is given.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.ringModulated.replacing("\"ring\"", with: "\"wave\"").replacing(
          "\n    \"tone\": { \"kind\": \"tone\" },", with: ""
        ).replacing(
          "\"ringModulator\", \"frequency\": 90, \"from\": \"tone\"",
          with: "\"tremolo\", \"from\": \"io:1\""
        ).replacing(
          "{ \"io\": { \"component\": \"remoteIO\" } }",
          with: """
            {
                "io": {
                  "component": "remoteIO",
                  "inputs": { "1": { "properties": { "enableIO": true } } }
                }
              }
            """),
        wrong: [", \"from\": \"io:1\"": ""])))

  static func violations(_ callback: InputCallback) -> [Violation] {
    let place = Violation.Place(node: callback.destination, .feed(callback.input))
    var found: [Violation] = []
    for (index, link) in callback.chain.enumerated() {
      let isFed = index > 0 || callback.source != nil
      if link.input == .required && !isFed {
        found.append(
          Violation(
            rule, status: .noConnection,
            "a callback that processes what it pulls is given nothing to pull", at: place,
            help: ["say what it pulls: \"from\": an output such as \"io:1\", or another callback"]))
      } else if link.input == .none && isFed {
        found.append(
          Violation(
            rule, status: .invalidConnection,
            "a callback that makes its own sound is given something to pull", at: place,
            help: ["leave its \"from\" out"]))
      }
    }
    return found
  }
}
