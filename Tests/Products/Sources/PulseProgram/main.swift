import AudioGraphs
import PulseIO

// Whatever server there is, or none: what the device grants is what a graph is made for.
do {
  let device = try PulseHardware.open(HardwareRequest())
  let graph = AudioGraph(hardware: device)
  print(graph.grant.outputFormat.map(\.summary) ?? "no output")
} catch {
  print("no device:", error)
}
