import AudioGraphs

// Renders a tone at half of full scale through a mixer into memory, with a single import.
let device = HardwareGrant(
  outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
  inputFormat: nil, ioBufferFrames: 512)
let graph = AudioGraph(assuming: device)
let mixer = try graph.addNode(MultichannelMixer.description.component, name: "mixer")
let io = try graph.addNode(RemoteIO.description.component, name: "io")
try graph.connect(mixer, to: io)
try graph.setInputCallback(ToneCallback(frequency: 1000, amplitude: 0.5), of: mixer)
try graph.open()
graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
let meter = try graph.addTap(MeterTap(), at: mixer, name: "level")
try graph.initialize()
guard let session = graph.session else { preconditionFailure("the graph has been initialized") }
var byteCount = 0
let outcome = OfflineDevice(graph.grant).run(
  session, frameCount: 48_000, services: graph.services, sink: { byteCount += $0.count })
precondition(outcome.errors.isEmpty, "\(outcome.errors)")
guard case .meter(let reading)? = graph.reading(of: meter) else {
  preconditionFailure("the meter has a reading")
}
print(byteCount / 8, "frames, peak", reading.channels[0].highestPeak, "dBFS")
