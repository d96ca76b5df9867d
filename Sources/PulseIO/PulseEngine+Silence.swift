import CPulse
import RenderHost

/// A suspended source of PipeWire. Used by the engine's thread.
///
/// Its server does not report the suspension: a stream on the source keeps delivering, but only
/// zeros, even after the suspension; a new stream delivers sound at once (measured with 0.3.65).
/// The only sign is a change event of the source.
struct PulseSilence {
  /// Frames of zeros since the change event; `nil` without one, or after other samples.
  fileprivate var frames: Int?
  /// Whether there were enough zeros to open the source again.
  fileprivate var isProven = false
  /// Whether the source ever delivered anything but zeros: otherwise nothing was lost.
  fileprivate var wasHeard = false
}

extension PulseEngine {
  /// Subscribes to changes of sources, on servers that do not report suspensions.
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
    unsafe release(
      pa_context_subscribe(link.connection.context, PA_SUBSCRIPTION_MASK_SOURCE, nil, nil))
  }

  private func noteChange(ofSource index: UInt32) {
    guard silence.wasHeard, let capture = link?.capture,
      unsafe pa_stream_get_device_index(capture.handle) == index
    else { return }
    silence.frames = 0
  }

  /// Checks the deliveries of a source for zeros.
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

  /// Opens a source again that turned out to be suspended.
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
