/// The header of a WAV file of 32-bit floats in its simplest form: its samples need no decoder, and so libsndfile,
/// which takes half a millisecond to load, is not loaded for them.
struct FloatWave {
  let frameCount: Int
  let channelCount: Int
  /// In Hz.
  let sampleRate: Int
  /// The byte offset of the first sample.
  private let dataOffset: Int64

  /// Reads the header of an open file; `nil` for a file of another kind, and for one that is cut off or has other
  /// chunks behind its samples than cue points, which libsndfile is to judge.
  init?(_ descriptor: Int32) {
    guard let header = HeaderReader(descriptor), header.text(at: 0, 4) == "RIFF",
      header.text(at: 12, 4) == "fmt ", header.number(at: 20, 2, false) == 3,
      header.number(at: 34, 2, false) == 32,
      let channelCount = header.number(at: 22, 2, false), 1...1024 ~= channelCount,
      let sampleRate = header.number(at: 24, 4, false), sampleRate > 0,
      let layout = ContainerLayout(descriptor), let promised = layout.promisedBytes,
      layout.bytesPerFrame == 4 * channelCount, promised > 0,
      promised % (4 * channelCount) == 0, layout.dataOffset + promised == layout.fileLength
    else { return nil }
    frameCount = Int(promised / (4 * channelCount))
    self.channelCount = Int(channelCount)
    self.sampleRate = Int(sampleRate)
    dataOffset = layout.dataOffset
  }

  /// The byte offset of a frame.
  func offset(of frame: Int) -> Int64 { dataOffset + Int64(4 * frame * channelCount) }
}
