import AudioGraphs
import PictureTaps

// Renders a second of noise, and draws it into the file that the argument names.
guard CommandLine.arguments.count == 2 else { preconditionFailure("name a picture to write") }
let graph = AudioGraph(
  assuming: HardwareGrant(
    outputFormat: StreamFormat(.float32, channels: 1, sampleRate: 48_000, interleaved: true),
    inputFormat: nil, ioBufferFrames: 512))
let output = try graph.addNode(GenericOutput.description.component, name: "output")
let format = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
let equalizer = try graph.addNode(IPodEQ.description.component, name: "eq")
try graph.connect(equalizer, to: output)
try graph.setInputCallback(NoiseCallback(color: .pink), of: equalizer)
try graph.open()
graph.defaultStreamFormat = format
_ = try graph.addTap(
  PictureTap(.spectrogram, path: CommandLine.arguments[1]), at: equalizer, name: "picture")
try graph.initialize()
if let session = graph.session {
  let outcome = OfflineDevice(graph.grant).run(
    session, frameCount: 48_000, services: graph.services, sink: { _ in })
  precondition(outcome.errors.isEmpty, "\(outcome.errors)")
}
graph.close()
