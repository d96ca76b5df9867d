public import AudioTypes
public import AudioUnits
public import RenderCore
public import RenderHost

/// A unit without a graph around it: connected to others, and rendered, by itself.
///
///     let mixer = UnitInstance(MultichannelMixer.self)
///     try mixer.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
///     try mixer.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
///     try mixer.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(ToneCallback()))
///     try mixer.initialize()
///     let slice = try mixer.render(512)
///
/// Units are connected by `makeConnection`, and given callbacks by `setRenderCallback`, at once: as in
/// Core Audio the format goes along a connection when it is made. A graph does more: it checks the whole,
/// fades, and may be edited while a device pulls it.
extension UnitInstance {
  // MARK: States

  /// Initializes the unit (`AudioUnitInitialize`) with the formats that it has. One that is initialized
  /// stays as it is. In an initialized graph: as `AudioGraph.initializeUnit(of:)`. A unit that has
  /// rendered, or has been started, is kept until it is uninitialized.
  ///
  /// - Throws: What the unit refuses; `kAudioUnitErr_FailedInitialization` for an I/O unit without a
  ///   device.
  public func initialize() throws(Violation) {
    if let lone = LoneUnit.of(self) { return try lone.initialize(self) }
    try (host as? GraphUnitHost)?.initialize(self)
  }

  /// Gives back what `initialize()` took (`AudioUnitUninitialize`). An I/O unit is stopped first.
  ///
  /// - Throws: `kAudioUnitErr_CannotDoInCurrentContext` for a unit of a graph, which the graph
  ///   uninitializes.
  public func uninitialize() throws(Violation) {
    guard let lone = LoneUnit.of(self) else { throw Self.inGraph("uninitializes") }
    lone.uninitialize(self)
  }

  /// Lets the unit begin anew, as if it had rendered nothing (`AudioUnitReset`): filters, delays and
  /// converters are empty; parameters, properties and formats stay. A unit that is not initialized has
  /// nothing to forget.
  ///
  /// - Throws: `kAudioUnitErr_InvalidElement` where there is no such element. Elements are reset
  ///   together, whichever is named.
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

  /// Renders the next frames of an output element (`AudioUnitRender`): everything upstream, and the unit.
  ///
  /// Used by one thread at a time. The first render after units have been connected or initialized makes
  /// what is rendered with, and files are read where they are needed: a render thread that must not wait
  /// is a graph's.
  ///
  /// - Parameters:
  ///   - flags: `.outputIsSilence` comes back where all is silence.
  ///   - timeStamp: Its sample time is that of the first frame; it grows by the frames of each slice.
  ///   - output: The output element.
  ///   - buffers: In the element's stream format, as many frames as are to be rendered.
  /// - Returns: `.ok`; `kAudioUnitErr_Uninitialized` where the unit, or one upstream, is not
  ///   initialized; `kAudioUnitErr_TooManyFramesToProcess`; `kAudioUnitErr_InvalidElement`;
  ///   `kAudio_ParamError` for buffers of another format; `kAudioUnitErr_NoConnection` where an input
  ///   that is needed is not fed; what a callback has returned;
  ///   `kAudioUnitErr_CannotDoInCurrentContext` in a graph, and for an I/O unit, whose device pulls.
  ///   The property `lastRenderError` has it too.
  public func render(
    _ flags: inout RenderActionFlags, _ timeStamp: TimeStamp, output: Int = 0,
    into buffers: SampleBuffers
  ) -> Status {
    guard let lone = LoneUnit.of(self) else { return .cannotDoInCurrentContext }
    let result = lone.render(self, output, at: timeStamp, into: buffers)
    if result.status == .ok && result.isSilent { flags.insert(.outputIsSilence) }
    return result.status
  }

  /// Renders the next frames of an output element, behind those of the last render, and returns the
  /// samples of each channel, full scale being 1.
  ///
  /// - Throws: What the other `render` returns.
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

  /// A format that there is, whatever the element.
  private func outputFormat(_ output: Int) -> StreamFormat {
    let outputs = configuration().outputs
    return outputs.indices.contains(output)
      ? outputs[output].format : .platformCanonical(channels: 1, sampleRate: 44_100)
  }

  // MARK: Output units

  /// Says which device an I/O unit stands for, before it is initialized. Its hardware sides have the
  /// device's formats from then on.
  ///
  /// - Throws: `kAudioUnitErr_Initialized`; `kAudioUnitErr_CannotDoInCurrentContext` in a graph, which
  ///   has a device of its own; `kAudioUnitErr_InvalidProperty` for a unit that is no I/O unit.
  public func useDevice(_ hardware: any AudioHardware) throws(Violation) {
    guard let lone = LoneUnit.of(self) else { throw Self.inGraph("has the device of") }
    guard description.property(.enableIO) != nil else {
      throw Violation(
        UnitRules.unitDevice, status: .invalidProperty,
        "\(withArticle(description.name)) runs on no device", at: .init(node: nil, .whole))
    }
    try lone.setHardware(hardware, of: self)
  }

  /// Starts an output unit (`AudioOutputUnitStart`): its device pulls it, and all that feeds it. What is
  /// connected or set while it runs is heard from the next slice on.
  ///
  /// - Throws: `GraphStartError`: `kAudioUnitErr_Uninitialized` where the unit, or one that feeds it, is
  ///   not initialized; what an initialized graph of them would be refused with; what the device says.
  public func start() throws(GraphStartError) {
    guard let lone = LoneUnit.of(self) else { throw .refused(Self.inGraph("starts")) }
    try lone.start(self)
  }

  /// Stops an output unit (`AudioOutputUnitStop`); `start()` goes on from there. One that does not run
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
