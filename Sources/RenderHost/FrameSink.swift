public import RenderCore

/// Takes what an `OfflineDevice` renders.
public protocol FrameSink: AnyObject, Sendable {
  /// Takes the next frames. Calls follow each other, in order. They come from the thread that runs
  /// the device or, where several threads render, from any of them.
  ///
  /// - Parameter bytes: Interleaved frames of the device's format.
  /// - Throws: Ends the run.
  func take(_ bytes: Span<UInt8>) throws(ServiceError)
}
