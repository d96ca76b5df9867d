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

let names = CommandLine.arguments.dropFirst()
// The battery of the voice processor has its own options.
if names.first == "voice" && names.count > 1 && names.dropFirst().first?.hasPrefix("-") == true {
  guard let battery = VoiceBattery(Array(names.dropFirst())) else {
    print("usage: patchrun-bench \(VoiceBattery.usage)")
    exit(2)
  }
  exit(battery.run() ? 0 : 1)
}
if names.first == "peers-soxr" { exit(convertDirectly(Array(names.dropFirst())) ? 0 : 1) }
if names.first == "peers" {
  guard var peers = PeerMeasurement(Array(names.dropFirst())) else {
    print("usage: patchrun-bench \(PeerMeasurement.usage)")
    exit(2)
  }
  exit(peers.run() ? 0 : 1)
}
if names.first == "faults" {
  guard let faults = FaultMeasurement(Array(names.dropFirst())) else {
    print("usage: patchrun-bench \(FaultMeasurement.usage)")
    exit(2)
  }
  exit(faults.run() ? 0 : 1)
}
if names.first == "soak" {
  guard let soak = SoakMeasurement(Array(names.dropFirst())) else {
    print("usage: patchrun-bench \(SoakMeasurement.usage)")
    exit(2)
  }
  exit(soak.run() ? 0 : 1)
}
if names.first == "batch" {
  guard let batch = BatchMeasurement(Array(names.dropFirst())) else {
    print("usage: patchrun-bench \(BatchMeasurement.usage)")
    exit(2)
  }
  exit(batch.run() ? 0 : 1)
}
if names.first == "clicks" {
  guard let clicks = ClickMeasurement(Array(names)) else {
    print("usage: patchrun-bench \(ClickMeasurement.usage)")
    exit(2)
  }
  exit(clicks.run() ? 0 : 1)
}
let unknown = names.filter { name in !measurements.contains { $0.name == name } }
if names.isEmpty || !unknown.isEmpty {
  print("usage: patchrun-bench MEASUREMENT…")
  for measurement in measurements { print("  \(measurement.name)  \(measurement.summary)") }
  print("or: patchrun-bench \(VoiceBattery.usage)")
  print("or: patchrun-bench \(PeerMeasurement.usage)")
  print("or: patchrun-bench \(FaultMeasurement.usage)")
  print("or: patchrun-bench \(SoakMeasurement.usage)")
  print("or: patchrun-bench \(ClickMeasurement.usage)")
  print("or: patchrun-bench \(BatchMeasurement.usage)")
  exit(2)
}
for name in names { measurements.first { $0.name == name }?.run() }
