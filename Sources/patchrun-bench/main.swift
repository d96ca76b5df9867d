import Glibc

// Measures the figures on the pages in this folder, each with a reference if there is one:
//
//     swift run -c release patchrun-bench converter
//
// Each measurement has its own file. Add a line here.
let measurements: [(name: String, summary: String, run: () -> Void)] = [
  (
    "converter", "sample rate conversion: ripple, images, aliases, THD+N, speed, beside libsoxr's",
    measureConverter
  ),
  (
    "voice", "echo cancelling: ERLE, convergence, double talk, a loudspeaker that distorts, cost",
    measureVoice
  ),
  (
    "spatial", "3D Mixer: attenuation, pannings, HRTF, pace, Doppler; what a source costs",
    measureSpatial
  ),
  (
    "equalizers", "iPod EQ beside NBandEQ: what a frame costs, by channels and slices",
    measureEqualizers
  ),
  (
    "validate", "validation: small, many and large patches; fixes; the language server's answers",
    measureValidate
  ),
  (
    "costs", "checking patches of n and of 2n: whether it grows no faster than they do",
    measureCosts
  ),
  (
    "scale", "patches of 10,000 to 100,000 parts, from the document to the first slice",
    measureScale
  ),
  (
    "clocks", "devices with clocks of their own: 24 hours, simulated",
    measureSimulatedClocks
  ),
  (
    "drift", "a microphone and a loudspeaker with clocks of their own, on a sound server",
    measureRealClocks
  ),
  (
    "through", "how long the way from a microphone to a loudspeaker is, beside that of others",
    measureThrough
  ),
  ("live", "a change of a patch that plays: what it costs until it is heard", measureLive),
]

/// Measurements with options of their own, by the word before them.
let batteries: [(name: String, kind: any OptionMeasurement.Type)] = [
  ("voice", VoiceBattery.self), ("peers", PeerMeasurement.self),
  ("faults", FaultMeasurement.self), ("soak", SoakMeasurement.self),
  ("clicks", ClickMeasurement.self), ("batch", BatchMeasurement.self),
]

let names = CommandLine.arguments.dropFirst()
let options = Array(names.dropFirst())
if names.first == "peers-soxr" { exit(convertDirectly(options) ? 0 : 1) }
// Without options, "voice" is a measurement like the others.
if let kind = batteries.first(where: { $0.name == names.first })?.kind,
  names.first != "voice" || options.first?.hasPrefix("-") == true
{
  guard var battery = kind.init(options) else {
    print("usage: patchrun-bench \(kind.usage)")
    exit(2)
  }
  exit(battery.run() ? 0 : 1)
}
let unknown = names.filter { name in !measurements.contains { $0.name == name } }
if names.isEmpty || !unknown.isEmpty {
  print("usage: patchrun-bench MEASUREMENT…")
  for measurement in measurements { print("  \(measurement.name)  \(measurement.summary)") }
  for battery in batteries { print("or: patchrun-bench \(battery.kind.usage)") }
  exit(2)
}
for name in names { measurements.first { $0.name == name }?.run() }
