import AudioGraphs
import RenderCore

/// The types of callbacks and taps, each with its room.
enum RenderedTypes {
  /// All that the sources declare: a test of the sources (`RealTimeCheckTests`) compares the list
  /// with them. The check ends with an error where one of them was not rendered.
  static let all: Set<String> = [
    "RenderCallbacks.ClosureCallback",
    "RenderCallbacks.ConvolutionCallback",
    "RenderCallbacks.EchoCallback",
    "RenderCallbacks.ExpressionCallback",
    "RenderCallbacks.FileCallback",
    "RenderCallbacks.GainCallback",
    "RenderCallbacks.ImpulseCallback",
    "RenderCallbacks.NativeCallback",
    "RenderCallbacks.NoiseCallback",
    "RenderCallbacks.PatchInputCallback",
    "RenderCallbacks.RingModulatorCallback",
    "RenderCallbacks.SilenceCallback",
    "RenderCallbacks.SweepCallback",
    "RenderCallbacks.ToneCallback",
    "RenderCallbacks.TremoloCallback",
    "RenderCore.CallbackInstance",
    "Responses.ToneCallback",
    "PictureTaps.PictureTap",
    "RenderTaps.FrameTap",
    "RenderTaps.LoudnessTap",
    "RenderTaps.MeterTap",
    "RenderTaps.RecordTap",
    "RenderTaps.SampleTap",
    "RenderTaps.SpectrumTap",
  ]

  /// Those in a graph.
  static func present(in graph: AudioGraph) -> Set<String> {
    var found: Set<String> = []
    for case .callback(let callback) in graph.interactions {
      for instance in callback.instances {
        found.insert(String(reflecting: type(of: instance)))
        found.insert(String(reflecting: type(of: instance.original)))
      }
    }
    for tap in graph.taps { found.insert(String(reflecting: type(of: tap))) }
    return found
  }
}
