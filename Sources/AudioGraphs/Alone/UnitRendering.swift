public import AudioTypes
public import AudioUnits
public import RenderCore
public import RenderHost

/// A unit without a graph: connected to other units and rendered directly.
///
///     let mixer = UnitInstance(MultichannelMixer.self)
///     try mixer.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
///     try mixer.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
///     try mixer.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(ToneCallback()))
///     try mixer.initialize()
///     let slice = try mixer.render(512)
///
/// `makeConnection` and `setRenderCallback` take effect at once and, as in Core Audio, the stream
/// format crosses a connection when it is made. A graph does more: it validates the whole, fades,
/// and can be edited while a device pulls it.
extension UnitInstance {
  // MARK: States

  /// Initializes the unit (`AudioUnitInitialize`) with its current formats. An initialized unit
  /// stays as it is. In an initialized graph: as `AudioGraph.initializeUnit(of:)`. A unit that has
  /// rendered, or has been started, is retained until it is uninitialized.
  ///
  /// - Throws: What the unit refuses; `kAudioUnitErr_FailedInitialization` for an I/O unit without
  ///   a device.
  public func initialize() throws(Violation) {
    if let lone = LoneUnit.of(self) { return try lone.initialize(self) }
    try (host as? GraphUnitHost)?.initialize(self)
  }

  /// Uninitializes the unit (`AudioUnitUninitialize`) and releases its kernels. An I/O unit is
  /// stopped first.
  ///
  /// - Throws: `kAudioUnitErr_CannotDoInCurrentContext` for a unit of a graph, which the graph
  ///   uninitializes.
  public func uninitialize() throws(Violation) {
    guard let lone = LoneUnit.of(self) else { throw Self.inGraph("uninitializes") }
    lone.uninitialize(self)
  }

  /// Clears the unit's state (`AudioUnitReset`): filters, delays and converters are empty;
  /// parameters, properties and formats stay. Has no effect on a unit that is not initialized.
  ///
  /// - Throws: `kAudioUnitErr_InvalidElement` for an element that does not exist. All elements are
  ///   reset, whichever is named.
  public func reset(_ scope: Scope = .global, _ element: Int = 0) throws(Violation) {
    guard element >= 0 && element < elementCount(scope) else {
      throw Violation(
        UnitRules.element, status: .invalidElement,
        "\(description.name) has no \(scope) element \(element)",
        at: .init(node: nil, .bus(scope, element)))
    }
    _ = LoneUnit.of(self)
    host?.reset(self)
  }

  // MARK: Rendering

  /// Renders the next frames of an output element (`AudioUnitRender`), and everything upstream of
  /// it.
  ///
  /// Call it on one thread at a time, which must be allowed to wait: the first render after a
  /// connection or an initialization allocates, and files are read during the call. Use a graph
  /// where a render thread must not wait.
  ///
  /// - Parameters:
  ///   - flags: `.outputIsSilence` is set where every sample is silent.
  ///   - timeStamp: Its sample time is that of the first frame; it grows by the frames of each
  ///     slice.
  ///   - output: The output element.
  ///   - buffers: Memory of the caller, in the element's stream format; all its frames are
  ///     rendered.
  /// - Returns: `.ok`; `kAudioUnitErr_Uninitialized` where the unit, or one upstream, is not
  ///   initialized; `kAudioUnitErr_TooManyFramesToProcess`; `kAudioUnitErr_InvalidElement`;
  ///   `kAudio_ParamError` for buffers of another format; `kAudioUnitErr_NoConnection` where
  ///   nothing feeds a required input; the status that a callback has returned;
  ///   `kAudioUnitErr_CannotDoInCurrentContext` in a graph, and for an I/O unit, whose device pulls
  ///   it. The property `lastRenderError` has the status too.
  public func render(
    _ flags: inout RenderActionFlags, _ timeStamp: TimeStamp, output: Int = 0,
    into buffers: SampleBuffers
  ) -> Status {
    guard let lone = LoneUnit.of(self) else { return .cannotDoInCurrentContext }
    let result = lone.render(self, output, at: timeStamp, into: buffers)
    if result.status == .ok && result.isSilent { flags.insert(.outputIsSilence) }
    return result.status
  }

  /// Renders the frames after those of the last render, and returns the samples of each channel;
  /// full scale is 1.
  ///
  /// - Throws: The status that the other `render` returns.
  public func render(_ frameCount: Int, output: Int = 0) throws(Violation) -> [[Float]] {
    let memory = SampleMemory(
      outputFormat(output), capacity: max(1, frameCount))
    var flags: RenderActionFlags = []
    let time = TimeStamp(sampleTime: LoneUnit.of(self)?.nextFrame ?? 0)
    let status = render(&flags, time, output: output, into: memory.buffers(frameCount))
    guard status == .ok else {
      throw Violation(
        UnitRules.unitRender, status: status, "the unit could not render: \(status)",
        at: .init(node: nil, .bus(.output, output)))
    }
    return (0..<memory.format.channelCount).map {
      memory.floats(ofChannel: $0, frameCount: frameCount)
    }
  }

  /// The format of an output element; for a missing element any format, so that `render` refuses it.
  private func outputFormat(_ output: Int) -> StreamFormat {
    let outputs = configuration().outputs
    return outputs.indices.contains(output)
      ? outputs[output].format : .platformCanonical(channels: 1, sampleRate: 44_100)
  }

  // MARK: Output units

  /// Sets the device of an I/O unit, before it is initialized. The unit's hardware sides take the
  /// device's formats.
  ///
  /// - Throws: `kAudioUnitErr_Initialized`; `kAudioUnitErr_CannotDoInCurrentContext` in a graph,
  ///   which has its own device; `kAudioUnitErr_InvalidProperty` for a unit that is not an I/O
  ///   unit.
  public func useDevice(_ hardware: any AudioHardware) throws(Violation) {
    guard let lone = LoneUnit.of(self) else { throw Self.inGraph("has the device of") }
    guard description.property(.enableIO) != nil else {
      throw Violation(
        UnitRules.unitDevice, status: .invalidProperty,
        "\(withArticle(description.name)) runs on no device", at: .init(node: nil, .whole))
    }
    try lone.setHardware(hardware, of: self)
  }

  /// Starts an output unit (`AudioOutputUnitStart`): its device pulls it and everything upstream.
  /// Connections and settings made while it runs are heard from the next slice on.
  ///
  /// - Throws: `GraphStartError`: `kAudioUnitErr_Uninitialized` where the unit, or one upstream, is
  ///   not initialized; what `AudioGraph.initialize()` refuses for these units; the device's error.
  public func start() throws(GraphStartError) {
    guard let lone = LoneUnit.of(self) else { throw .refused(Self.inGraph("starts")) }
    try lone.start(self)
  }

  /// Stops an output unit (`AudioOutputUnitStop`); `start()` resumes. A unit that does not run
  /// stays as it is.
  ///
  /// - Throws: `kAudioUnitErr_CannotDoInCurrentContext` in a graph, which is stopped as a whole.
  public func stop() throws(Violation) {
    guard let lone = LoneUnit.of(self) else { throw Self.inGraph("stops") }
    lone.stop(self)
  }

  private static func inGraph(_ what: String) -> Violation {
    Violation(
      UnitRules.unitInGraph, status: .cannotDoInCurrentContext,
      "the unit is in a graph, which \(what) it", at: .init(node: nil, .whole))
  }
}
