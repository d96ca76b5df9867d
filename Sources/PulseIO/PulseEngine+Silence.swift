import CPulse
import RenderHost

/// A source of PipeWire's that has been suspended. Of the engine's thread.
///
/// Its server tells nobody of that: a stream that hears the source goes on, and has nothing but zeros for
/// ever, even after the suspension; a stream that is opened then hears the source at once (measured with
/// 0.3.65). All that a client is told is that something about the source has changed.
struct PulseSilence {
  /// Frames of zeros since the source has changed; `nil` where it has not, or was heard since.
  fileprivate var frames: Int?
  /// Whether there have been so many that the source is opened anew.
  fileprivate var isProven = false
  /// Whether the source has ever been heard: one that never was has lost nothing.
  fileprivate var wasHeard = false
}

extension PulseEngine {
  /// Listens for changes of sources, where those are all that tells of a suspension.
  func watchSource() {
    guard let link, link.capture != nil, link.connection.isPipeWire else { return }
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe pa_context_set_subscribe_callback(
      link.connection.context,
      { _, event, index, user in
        let type = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
        guard type == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue else { return }
        unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
          $0.noteChange(ofSource: index)
        }
      }, user)
    unsafe letGo(
      pa_context_subscribe(link.connection.context, PA_SUBSCRIPTION_MASK_SOURCE, nil, nil))
  }

  private func noteChange(ofSource index: UInt32) {
    guard silence.wasHeard, let capture = link?.capture,
      unsafe pa_stream_get_device_index(capture.handle) == index
    else { return }
    silence.frames = 0
  }

  /// Looks at what a source delivers that has changed.
  func listenForSilence(_ samples: UnsafePointer<Float>?, _ frameCount: Int, _ channelCount: Int) {
    guard silence.frames != nil || !silence.wasHeard else { return }
    if let samples = unsafe samples {
      for index in 0..<frameCount * channelCount where unsafe samples[index] != 0 {
        silence.frames = nil
        silence.wasHeard = true
        return
      }
    }
    guard let frames = silence.frames else { return }
    silence.frames = frames + frameCount
    if Double(frames + frameCount) > session.configuration.sampleRate { silence.isProven = true }
  }

  /// Opens a source anew that has been suspended.
  func endSilence() {
    guard silence.isProven else { return }
    silence = PulseSilence()
    guard let capture = link?.capture, lostSource == nil else { return }
    log.post(
      .noted(
        "the source '\(capture.deviceName)' is silent since something has changed about it, as after a "
          + "suspension: it is opened again"))
    reopen(.source, monotonicNanoseconds())
  }
}
