import AudioGraphs
import PulseIO

// Builds a graph for what the device grants, with any server or none.
do {
  let device = try PulseHardware.open(HardwareRequest())
  let graph = AudioGraph(hardware: device)
  print(graph.grant.outputFormat.map(\.summary) ?? "no output")
} catch {
  print("no device:", error)
}
