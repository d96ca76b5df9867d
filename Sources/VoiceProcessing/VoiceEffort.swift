/// The processing for a quality from 0 to 127.
///
/// The echo path that the canceller covers grows with the quality from a quarter to all of 256 ms;
/// from 43 on the distortion of the loudspeaker is modelled; from 85 on the filter converges faster
/// after a start. The figures are ours: Core Audio documents none.
struct VoiceEffort: BitwiseCopyable {
  /// In hops.
  let length: Int
  let shadowLength: Int
  let modelsDistortion: Bool
  let repeats: Bool

  @_noLocks
  init(quality: Int, longest: Int) {
    let quality = quality < 0 ? 0 : quality > 127 ? 127 : quality
    let shortest = longest / 4 > 1 ? longest / 4 : 1
    length = shortest + (longest - shortest) * quality / 127
    shadowLength = length / 2 > 1 ? length / 2 : 1
    modelsDistortion = quality >= 43
    repeats = quality >= 85
  }
}
