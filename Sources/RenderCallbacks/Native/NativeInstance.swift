import AudioTypes
import CPatchrun
import Glibc
import RenderCore

/// A native callback for one bus: its library, its refCon and its buffers.
///
/// `@unchecked Sendable`: made and freed on the control thread, while nothing renders with it; in
/// between only the render thread uses it.
@safe
final class NativeInstance: @unchecked Sendable {
  private let library: SharedLibrary
  private let function: AURenderCallback
  private let dispose: PatchrunDispose?
  private let refCon: UnsafeMutableRawPointer?
  private let text: UnsafeMutablePointer<CChar>
  private let maximumFrames: Int
  private let buffers: NativeBuffers
  private let timeStamp: UnsafeMutablePointer<AudioTimeStamp>
  private let flags: UnsafeMutablePointer<AudioUnitRenderActionFlags>

  // MARK: Control thread

  init(
    _ callback: NativeCallback, format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) {
    let library = try SharedLibrary(callback.path)
    let symbol = unsafe try library.symbol(callback.symbol, setting: "symbol")
    var prepare: UnsafeMutableRawPointer?
    if let name = callback.prepare { unsafe prepare = try library.symbol(name, setting: "prepare") }
    var dispose: UnsafeMutableRawPointer?
    if let name = callback.dispose { unsafe dispose = try library.symbol(name, setting: "dispose") }
    let bytes = Array(callback.refCon.utf8CString)
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { unsafe text[index] = byte }
    var refCon = unsafe UnsafeMutableRawPointer?(text)
    if let prepare = unsafe prepare {
      let prepare = unsafe unsafeBitCast(prepare, to: PatchrunPrepare.self)
      var description = AudioStreamBasicDescription(
        mSampleRate: format.sampleRate, mFormatID: format.formatID.rawValue,
        mFormatFlags: format.flags.rawValue, mBytesPerPacket: format.bytesPerPacket,
        mFramesPerPacket: format.framesPerPacket, mBytesPerFrame: format.bytesPerFrame,
        mChannelsPerFrame: format.channelsPerFrame, mBitsPerChannel: format.bitsPerChannel,
        mReserved: 0)
      let status = unsafe prepare(
        text, &description, UInt32(maximumFramesPerSlice), &refCon)
      guard status == 0 else {
        unsafe text.deallocate()
        let code = Status(rawValue: status)
        throw CallbackProblem(
          .badSetting, status: code,
          "'\(callback.prepare ?? "")' refuses to be prepared: \(code)",
          help: "the library decides that, by its refCon and the format of the bus",
          setting: "prepare")
      }
    }
    self.library = library
    unsafe function = unsafeBitCast(symbol, to: AURenderCallback.self)
    unsafe self.dispose = unsafe dispose.map { unsafe unsafeBitCast($0, to: PatchrunDispose.self) }
    unsafe self.refCon = refCon
    unsafe self.text = text
    maximumFrames = maximumFramesPerSlice
    buffers = NativeBuffers(format, maximumFrames: maximumFramesPerSlice)
    unsafe timeStamp = .allocate(capacity: 1)
    unsafe timeStamp.initialize(to: AudioTimeStamp())
    unsafe flags = .allocate(capacity: 1)
    unsafe flags.initialize(to: 0)
  }

  deinit {
    if let dispose = unsafe dispose { unsafe dispose(refCon) }
    unsafe text.deallocate()
    unsafe timeStamp.deallocate()
    unsafe flags.deallocate()
  }

  // MARK: Render thread

  /// Calls the function for a slice.
  func call(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard context.frameCount <= maximumFrames else {
      output.silence()
      return .tooManyFramesToProcess
    }
    unsafe flags.pointee = 0
    if context.inputCount > 0 {
      let input = context.input(0)
      buffers.prepare(context.frameCount)
      buffers.fill(from: input)
      if input.isSilent { unsafe flags.pointee = RenderActionFlags.outputIsSilence.rawValue }
    } else {
      buffers.prepare(context.frameCount)
      buffers.clear(context.frameCount)
    }
    unsafe timeStamp.pointee.mSampleTime = context.timeStamp.sampleTime
    unsafe timeStamp.pointee.mHostTime = context.timeStamp.hostTime
    unsafe timeStamp.pointee.mRateScalar = context.timeStamp.rateScalar
    unsafe timeStamp.pointee.mFlags = context.timeStamp.flags.rawValue
    let status = unsafe function(
      refCon, flags, timeStamp, UInt32(truncatingIfNeeded: context.element),
      UInt32(context.frameCount), buffers.list)
    let isSilent = unsafe flags.pointee & RenderActionFlags.outputIsSilence.rawValue != 0
    if status != 0 || isSilent {
      output.silence()
    } else {
      buffers.read(into: output)
    }
    return Status(rawValue: status)
  }
}

/// `@safe`: the kernel's box retains the instance.
@safe
struct NativeKernel: RenderKernel {
  private let instance: Unmanaged<NativeInstance>

  init(_ instance: NativeInstance) { unsafe self.instance = .passUnretained(instance) }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { call(context) }

  // Foreign code: its author answers for what it does on the render thread.
  @_semantics("no_performance_analysis")
  private func call(_ context: RenderContext) -> Status {
    unsafe instance._withUnsafeGuaranteedRef { $0.call(context) }
  }
}
