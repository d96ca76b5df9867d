import AudioTypes
import Foundation
import RenderCallbacks
import RenderCore
import TestSupport
import Testing

@Suite struct NativeTests {
  /// The functions under test. They report events outside of the render thread by writing files.
  private static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include "patchrun.h"

    _Static_assert(sizeof(AudioBuffer) == 16, "");
    _Static_assert(sizeof(AudioBufferList) == 24, "");
    _Static_assert(sizeof(AudioTimeStamp) == 64, "");
    _Static_assert(sizeof(AudioStreamBasicDescription) == 40, "");
    _Static_assert(sizeof(SMPTETime) == 24, "");

    /* Frames as they are counted, on each channel another. */
    OSStatus ramp(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                  UInt32 bus, UInt32 frames, AudioBufferList *data) {
      if (!(time->mFlags & kAudioTimeStampSampleTimeValid)) return 1;
      for (UInt32 b = 0; b < data->mNumberBuffers; b++) {
        Float32 *samples = data->mBuffers[b].mData;
        if (data->mBuffers[b].mNumberChannels != 1) return 2;
        if (data->mBuffers[b].mDataByteSize != frames * sizeof(Float32)) return 3;
        for (UInt32 f = 0; f < frames; f++)
          samples[f] = (time->mSampleTime + f) * 1e-5 + b + bus * 10;
      }
      return noErr;
    }

    /* Everything twice, in the bytes of whatever format. */
    OSStatus keep(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                  UInt32 bus, UInt32 frames, AudioBufferList *data) { return noErr; }

    OSStatus fail(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                  UInt32 bus, UInt32 frames, AudioBufferList *data) {
      memset(data->mBuffers[0].mData, 0x3F, data->mBuffers[0].mDataByteSize);
      return time->mSampleTime >= 2000 ? -10863 : noErr;
    }

    OSStatus silent(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                    UInt32 bus, UInt32 frames, AudioBufferList *data) {
      memset(data->mBuffers[0].mData, 0x3F, data->mBuffers[0].mDataByteSize);
      *flags |= kAudioUnitRenderAction_OutputIsSilence;
      return noErr;
    }

    /* Whether it was told of silence. */
    OSStatus told(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                  UInt32 bus, UInt32 frames, AudioBufferList *data) {
      Float32 *samples = data->mBuffers[0].mData;
      int wasSilent = (*flags & kAudioUnitRenderAction_OutputIsSilence) != 0;
      for (UInt32 f = 0; f < frames; f++) samples[f] = wasSilent ? 1 : 2;
      *flags = 0;
      return noErr;
    }

    /* The length of the text, or what prepare made of it. */
    OSStatus text(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                  UInt32 bus, UInt32 frames, AudioBufferList *data) {
      Float32 *samples = data->mBuffers[0].mData;
      for (UInt32 f = 0; f < frames; f++) samples[f] = strlen(refCon);
      return noErr;
    }

    /* A buffer of its own. */
    static Float32 own[8192];
    OSStatus elsewhere(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                       UInt32 bus, UInt32 frames, AudioBufferList *data) {
      for (UInt32 f = 0; f < frames; f++) own[f] = 0.5;
      data->mBuffers[0].mData = own;
      data->mBuffers[1].mData = 0;
      return noErr;
    }

    OSStatus prepare(const char *text, const AudioStreamBasicDescription *format, UInt32 frames,
                     void **refCon) {
      if (strcmp(text, "no") == 0) return kAudioUnitErr_FormatNotSupported;
      if (format->mChannelsPerFrame != 1 || format->mSampleRate != 48000 || frames != 4096) return 1;
      if (format->mFormatID != 0x6C70636D || format->mBitsPerChannel != 32) return 2;
      char *copy = malloc(2 * strlen(text) + 1);
      strcpy(copy, text);
      strcat(copy, text);
      *refCon = copy;
      return noErr;
    }

    void dispose(void *refCon) {
      FILE *file = fopen(refCon, "w");
      if (file) fclose(file);
      free(refCon);
    }
    """

  private static let library = Result { try NativeLibrary.build(source) }

  private func callback(_ symbol: String, processes: Bool = false) throws -> NativeCallback {
    NativeCallback(
      path: try Self.library.get(), symbol: symbol, processes: processes, isAllowed: true)
  }

  private func source(
    _ callback: NativeCallback, _ format: StreamFormat
  ) throws -> RenderSource {
    #expect(callback.problems(for: format) == [])
    let source = try callback.makeSource(for: format, maximumFramesPerSlice: 4096)
    #expect(source.writesBusWords)
    return source
  }

  private let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
  private let mono = StreamFormat(.float32, channels: 1, sampleRate: 48_000)

  @Test(arguments: Slicing.every)
  func `a function fills the channels, and knows the time and the bus`(slicing: Slicing) throws {
    let found = render(
      try source(callback("ramp"), stereo).kernel, outputChannelCounts: [2], frameCount: 9000,
      slicing: slicing, element: 3)
    for channel in 0..<2 {
      let expected = (0..<9000).map {
        Float(Double($0) * 1e-5 + Double(channel) + 30)
      }
      #expect(found[0][channel] == expected)
    }
  }

  @Test(arguments: SampleType.allCases, [false, true])
  func `what a bus can hold goes through unchanged in the bus's format`(
    sample: SampleType, interleaved: Bool
  ) throws {
    var generator = SplitMix64(seed: 1)
    // The pulled samples are floats with values that the format can represent.
    let channels = (0..<3).map { _ in
      (0..<3000).map { _ -> Float in
        let value = Double.random(in: -1...1, using: &generator)
        switch sample {
        case .float32: return Float(value)
        default:
          // 24 bits, which a float can represent.
          let word = SampleCoding.word(value, as: sample == .int16 ? .int16 : .int24)
          return Float(SampleCoding.value(word, of: sample == .int16 ? .int16 : .int24))
        }
      }
    }
    let format = StreamFormat(sample, channels: 3, sampleRate: 48_000, interleaved: interleaved)
    let found = render(
      try source(callback("keep", processes: true), format).kernel, inputs: [channels],
      outputChannelCounts: [3], frameCount: 3000, slicing: Slicing([64, 1, 700]))
    for (channel, samples) in found[0].enumerated() {
      let values = samples.map { value -> Float in
        sample.fitsFloat
          ? value
          : Float(SampleCoding.value(Int32(bitPattern: value.bitPattern), of: sample))
      }
      #expect(values == channels[channel])
    }
  }

  @Test func `24 bits in four bytes stand where the format says`() throws {
    for flags: StreamFormat.Flags in [
      [.isSignedInteger, .isNonInterleaved],
      [.isSignedInteger, .isNonInterleaved, .isAlignedHigh],
    ] {
      let format = StreamFormat(
        sampleRate: 48_000, formatID: .linearPCM, flags: flags, bytesPerPacket: 4,
        framesPerPacket: 1, bytesPerFrame: 4, channelsPerFrame: 1, bitsPerChannel: 24)
      let samples: [Float] = [0.5, -1, 1 / 8_388_608, -1 / 8_388_608]
      let found = render(
        try source(callback("keep", processes: true), format).kernel, inputs: [[samples]],
        outputChannelCounts: [1], frameCount: 4)
      #expect(found[0][0] == samples)
    }
  }

  @Test func `a function that writes nothing is silence and not what was there before`() throws {
    let found = render(
      try source(callback("keep"), stereo).kernel, outputChannelCounts: [2], frameCount: 100)
    #expect(found[0][0].allSatisfy { $0 == 0 })
  }

  @Test func `silence is said in both directions`() throws {
    let silent = render(
      try source(callback("silent"), mono).kernel, outputChannelCounts: [1], frameCount: 100)
    #expect(silent[0][0].allSatisfy { $0 == 0 })
    let kernel = try source(callback("told", processes: true), mono).kernel
    let plan = RenderPlan(
      rows: [.init(kernel: kernel, inputs: [0], outputs: [1])], busChannelCounts: [1, 1],
      maximumFramesPerSlice: 4096)
    plan.bus(0, frameCount: 10).silence()
    _ = plan.render(frameCount: 10, at: TimeStamp(sampleTime: 0))
    #expect(plan.bus(1, frameCount: 10)[0][0] == 1)
    #expect(!plan.bus(1, frameCount: 10).isSilent)
    plan.bus(0, frameCount: 10).markSounding()
    _ = plan.render(frameCount: 10, at: TimeStamp(sampleTime: 10))
    #expect(plan.bus(1, frameCount: 10)[0][0] == 2)
  }

  @Test func `a status that is not 0 is silence, and is passed on`() throws {
    let plan = RenderPlan(
      rows: [.init(kernel: try source(callback("fail"), mono).kernel, inputs: [], outputs: [0])],
      busChannelCounts: [1], maximumFramesPerSlice: 4096)
    #expect(plan.render(frameCount: 10, at: TimeStamp(sampleTime: 0)) == .ok)
    #expect(plan.bus(0, frameCount: 10)[0][5] != 0)
    #expect(
      plan.render(frameCount: 10, at: TimeStamp(sampleTime: 2000)) == .cannotDoInCurrentContext)
    #expect(plan.bus(0, frameCount: 10)[0][5] == 0)
  }

  @Test func `buffers of its own are read, and one that is taken away is silence`() throws {
    let found = render(
      try source(callback("elsewhere"), stereo).kernel, outputChannelCounts: [2], frameCount: 5000)
    #expect(found[0][0].allSatisfy { $0 == 0.5 })
    #expect(found[0][1].allSatisfy { $0 == 0 })
  }

  @Test func `the refCon is a string, or what prepare makes of it, until it is disposed of`() throws
  {
    var plain = try callback("text")
    plain.refCon = "four"
    let first = render(
      try source(plain, mono).kernel, outputChannelCounts: [1], frameCount: 1)
    #expect(first[0][0] == [4])
    var prepared = try callback("text")
    let folder = FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(
      atPath: folder + folder, withIntermediateDirectories: true)
    // `dispose` writes a file whose name is the text twice.
    prepared.refCon = folder
    prepared.prepare = "prepare"
    prepared.dispose = "dispose"
    try FileManager.default.removeItem(atPath: folder + folder)
    do {
      let source = try source(prepared, mono)
      let found = render(source.kernel, outputChannelCounts: [1], frameCount: 1)
      #expect(found[0][0] == [Float(2 * folder.utf8.count)])
      #expect(!FileManager.default.fileExists(atPath: folder + folder))
    }
    #expect(FileManager.default.fileExists(atPath: folder + folder))
    prepared.refCon = "no"
    let problem = #expect(throws: CallbackProblem.self) {
      try prepared.makeSource(for: mono, maximumFramesPerSlice: 4096)
    }
    #expect(problem?.status == .formatNotSupported && problem?.setting == "prepare")
  }

  // MARK: Errors

  @Test func `a library is loaded only where that is allowed`() throws {
    var callback = try callback("ramp")
    callback.isAllowed = false
    #expect(callback.problems(for: mono) == [])
    let problem = #expect(throws: CallbackProblem.self) {
      try callback.makeSource(for: mono, maximumFramesPerSlice: 512)
    }
    #expect(problem?.message.hasSuffix("may not be loaded") == true)
  }

  @Test func `looking at a file does not run it`() throws {
    let mark = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let library = try NativeLibrary.build(
      """
      #include <stdio.h>
      __attribute__((constructor)) static void loaded(void) { fclose(fopen("\(mark)", "w")); }
      int function(void) { return 0; }
      """)
    let callback = NativeCallback(path: library, symbol: "function")
    #expect(callback.problems(for: mono) == [])
    #expect(throws: CallbackProblem.self) {
      try callback.makeSource(for: mono, maximumFramesPerSlice: 512)
    }
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test func `a function that is missing is named when the library is loaded`() throws {
    let callback = try callback("rampp")
    let problem = #expect(throws: CallbackProblem.self) {
      try callback.makeSource(for: mono, maximumFramesPerSlice: 512)
    }
    #expect(problem?.setting == "symbol" && problem?.message.contains("'rampp'") == true)
  }

  @Test func `a library that needs what is not there is not loaded`() throws {
    let library = try NativeLibrary.build(
      "int nowhere(void); int function(void) { return nowhere(); }")
    let callback = NativeCallback(path: library, symbol: "function", isAllowed: true)
    let problem = #expect(throws: CallbackProblem.self) {
      try callback.makeSource(for: mono, maximumFramesPerSlice: 512)
    }
    #expect(problem?.setting == "path" && problem?.message.contains("nowhere") == true)
  }

  @Test func `what is no library is refused without being loaded`() throws {
    func message(_ path: String) -> String? {
      NativeCallback(path: path, symbol: "f").problems(for: mono).first?.message
    }
    #expect(message("/none/x.so") == "there is no library '/none/x.so'")
    let text = try NativeLibrary.build("int f;", name: "object.o", flags: ["-c"])
    #expect(message(text)?.hasSuffix("is compiled, but is no shared library") == true)
    #expect(message(text + "/../source.c") != nil)
    let source = URL(filePath: text).deletingLastPathComponent().appending(path: "source.c").path
    #expect(message(source)?.hasSuffix("is no shared library") == true)
    let help = NativeCallback(
      path: source.replacing("source.c", with: "source.so"), symbol: "f"
    ).problems(for: mono).first?.help
    #expect(help?.hasPrefix("build it: cc -O2 -shared -fPIC") == true)
    #expect(message("/tmp")?.contains("cannot be read") == true)
    let names = NativeCallback(path: try Self.library.get(), symbol: "a b").problems(for: mono)
    #expect(names.map(\.setting) == ["symbol"])
  }

  // MARK: The example

  private static let example = Result {
    let library = FileManager.default.temporaryDirectory
      .appending(path: "patchrun-\(UUID().uuidString).so").path
    try NativeLibrary.build(file: "patches/native/crusher.c", to: library)
    return library
  }

  private func crusher(_ text: String) throws -> NativeCallback {
    var callback = NativeCallback(
      path: try Self.example.get(), symbol: "crusher_render", refCon: text, processes: true,
      isAllowed: true)
    callback.prepare = "crusher_prepare"
    callback.dispose = "crusher_dispose"
    return callback
  }

  @Test(arguments: Slicing.every)
  func `the example does the same however the render is cut`(slicing: Slicing) throws {
    var generator = SplitMix64(seed: 7)
    let channels = (0..<2).map { _ in
      (0..<9000).map { _ in Float.random(in: -1...1, using: &generator) }
    }
    let kernel = try source(crusher("bits=4 hold=7"), stereo).kernel
    let found = render(
      kernel, inputs: [channels], outputChannelCounts: [2], frameCount: 9000, slicing: slicing)
    for (samples, channel) in zip(found[0], channels) {
      let expected = channel.indices.map { (channel[$0 / 7 * 7] * 8 + 0.5).rounded(.down) / 8 }
      #expect(samples == expected)
    }
  }

  @Test func `the example says what it does not take`() throws {
    for (text, format, status) in [
      ("bits=30 hold=1", stereo, Status.parameterError), ("loud", stereo, .parameterError),
      ("", StreamFormat(.int16, channels: 2, sampleRate: 48_000), .formatNotSupported),
    ] {
      let problem = #expect(throws: CallbackProblem.self) {
        try crusher(text).makeSource(for: format, maximumFramesPerSlice: 512)
      }
      #expect(problem?.status == status)
    }
  }
}
