/// The header of a WAV file of 32-bit floats: its samples need no decoder, and so libsndfile, which takes half a
/// millisecond to load, is not loaded for them.
struct FloatWave {
  let frameCount: Int
  let channelCount: Int
  /// In Hz.
  let sampleRate: Int
  /// libsndfile's name for the container.
  let container: String
  /// The byte offset of the first sample.
  private let dataOffset: Int64

  /// Reads the header of an open file; `nil` for a file of another kind, such as RF64, and for one that is cut off or
  /// has other chunks behind its samples than cue points, which libsndfile is to judge.
  init?(_ descriptor: Int32) {
    guard let layout = ContainerLayout(descriptor), let format = layout.wave,
      format.isFloat, format.bits == 32, 1...1024 ~= format.channelCount, format.sampleRate > 0,
      let promised = layout.promisedBytes, promised > 0,
      layout.bytesPerFrame == 4 * format.channelCount,
      promised % Int64(layout.bytesPerFrame) == 0,
      layout.dataOffset + promised == layout.fileLength
    else { return nil }
    frameCount = Int(promised) / layout.bytesPerFrame
    channelCount = format.channelCount
    sampleRate = format.sampleRate
    container = format.isExtensible ? "WAVEX (Microsoft)" : "WAV (Microsoft)"
    dataOffset = layout.dataOffset
  }

  /// The byte offset of a frame.
  func offset(of frame: Int) -> Int64 { dataOffset + Int64(4 * frame * channelCount) }
}
