import AudioGraphs
import AudioTypes
import AudioUnits
import Control
import GraphDrawings
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost

/// Status, settings and meters of the running patch.
extension LiveControl {
  func status() async -> ControlStatus {
    let (stage, phase) = present
    let (graph, hardware) = (stage.graph, stage.hardware)
    let (session, statistics, grant) = (graph.session, hardware.statistics, hardware.grant)
    let rate = session?.configuration.sampleRate ?? grant.sampleRate
    let (reading, document) = document(of: stage.live)
    var status = ControlStatus(
      title: reading.document?.title?.value, file: file.path ?? "<stdin>", state: phase,
      position: Double(session?.renderedFrames ?? 0) / max(1, rate),
      duration: session?.endFrame.map { Double($0) / max(1, rate) },
      tag: document.tag,
      grant: ControlGrant(
        sink: grant.outputFormat.map {
          .init(name: grant.outputName, channels: $0.channelCount, latency: grant.outputLatency)
        },
        source: grant.inputFormat.map {
          .init(name: grant.inputName, channels: $0.channelCount, latency: grant.inputLatency)
        }, sampleRate: grant.sampleRate, sliceFrames: grant.ioBufferFrames,
        scheduling: hardware.schedulingDescription),
      load: session?.load ?? 0, peakLoad: Double(graph.takeMaximumCPULoad()),
      underruns: statistics.underruns, overruns: statistics.overruns,
      failedSlices: session?.failedSlices.count ?? 0, lostFrames: graph.lostFrames,
      pendingStages: session?.waitingStages ?? 0, isSaved: file.isSaved, canSave: file.canSave)
    status.renderThreads = session?.renderingThreads ?? 1
    status.raisedLatency = hardware.raisedLatency.map {
      ControlRaisedLatency(
        asked: $0.asked, granted: $0.granted, age: $0.age(), timeUntilLess: $0.timeUntilLess())
    }
    let files = fileEvents
    let causes = UnderrunReport.causes(statistics, fileCount: files[.late] ?? 0)
    status.deviceLosses = statistics.losses
    status.underrunCauses = UnderrunCause.allCases.map {
      ControlCount($0.rawValue, causes[$0] ?? 0)
    }
    status.fileEvents = ServiceEvent.Kind.allCases.map {
      ControlCount($0.rawValue, files[$0] ?? 0)
    }
    if let session {
      let (frames, silenced) = session.limited
      status.outputLimit = session.outputPeakLimit.map { peak in
        ControlLimit(
          level: 20 * renderLog10(Double(peak)), seconds: Double(frames) / max(1, rate),
          reduction: LimitText.reduction(session.takeLeastGain()))
      }
      status.silencedSamples = silenced
    }
    return status
  }

  func drawing() async -> ControlDocument {
    let (reading, patch) = stage.live.reference
    let drawing = patch.map {
      GraphDrawing(graph: $0.graph, document: $0.document, in: $0.surroundings)
    }
    return ControlDocument(text: drawing?.svgForPage() ?? "", tag: Self.tag(of: reading.source))
  }

  func settings() async -> ControlSettings {
    let (reading, controls) = stage.live.controls
    return ControlSettings(tag: Self.tag(of: reading.source), settings: controls)
  }

  func response(of node: String) async -> ControlFrequencyResponse? {
    stage.live.response(of: node).map {
      ControlFrequencyResponse(node: node, frequencies: $0.frequencies, decibels: $0.decibels)
    }
  }

  func filters() async -> [String] { stage.live.filters }

  func units() async -> [ControlUnit] {
    UnitCatalog.standard.units.map { unit in
      let unit = unit.description
      return ControlUnit(
        name: unit.name, summary: unit.summary, inputs: .init(unit.inputs),
        outputs: .init(unit.outputs), isOutputUnit: unit.component.type == .outputType)
    }
  }

  func meters() async -> [ControlMeter] {
    let graph = stage.graph
    return graph.readings.map { ControlMeter($0) }
      + graph.playing.nodes.flatMap(busMeters)
  }

  /// The meters of a node's buses whose `meteringMode` is on.
  private func busMeters(_ node: PlayingGraph.Node) -> [ControlMeter] {
    let unit = node.unit
    guard unit.info(.meteringMode) != nil else { return [] }
    var meters: [ControlMeter] = []
    for scope in [Scope.input, .output] {
      let metered = (0..<unit.elementCount(scope)).filter {
        (try? unit.property(.meteringMode, scope, $0)) == .uint32(1)
      }
      guard !metered.isEmpty else { continue }
      // The parameters are looked up once for all buses.
      let behind = LevelParameters(unit, "post", scope)
      let before = LevelParameters(unit, "pre", scope)
      for element in metered {
        guard let levels = behind.levels(unit, element) else { continue }
        meters.append(
          ControlMeter(
            place: .bus(node: node.name, isInput: scope == .input, element: element),
            levels: levels, preFaderLevels: before.levels(unit, element)))
      }
    }
    return meters + matrixMeters(node)
  }

  /// The meters of a matrix whose `meteringMode` is on: its open crosspoints and its master.
  private func matrixMeters(_ node: PlayingGraph.Node) -> [ControlMeter] {
    let unit = node.unit
    guard unit.info(.meteringMode)?.scopes.contains(.global) == true,
      (try? unit.property(.meteringMode, .global, 0)) == .uint32(1),
      case .ids(let dimensions)? = try? unit.property(.matrixDimensions), dimensions.count == 2
    else { return [] }
    let behind = LevelParameters(unit, "post", .global)
    let before = LevelParameters(unit, "pre", .global)
    func meter(_ place: ControlMeter.Place, _ element: Int) -> ControlMeter? {
      behind.levels(unit, element).map {
        ControlMeter(place: place, levels: $0, preFaderLevels: before.levels(unit, element))
      }
    }
    let crosspoints = (0..<Int(dimensions[0])).flatMap { input in
      (0..<Int(dimensions[1])).compactMap { output -> ControlMeter? in
        let element = input << 16 | output
        guard let level = try? unit.parameter(MatrixMixer.Parameter.volume, .global, element),
          level != 0
        else { return nil }
        return meter(.crosspoint(node: node.name, input: input, output: output), element)
      }
    }
    return crosspoints
      + [meter(.master(node: node.name), MatrixMixer.masterElement)].compactMap(\.self)
  }
}

/// The meter parameters of a unit's buses before or after the fader: left channel, then right.
private struct LevelParameters {
  private let scope: Scope
  private var channels: [(average: UInt32, peak: UInt32)] = []

  init(_ unit: UnitInstance, _ side: String, _ scope: Scope) {
    self.scope = scope
    channels = ["", "Right"].compactMap { channel in
      guard let average = unit.parameterInfo(named: side + "AveragePower" + channel, scope),
        let peak = unit.parameterInfo(named: side + "PeakHoldLevel" + channel, scope)
      else { return nil }
      return (average.id, peak.id)
    }
  }

  /// The levels of a bus; `nil` if nothing is measured.
  func levels(_ unit: UnitInstance, _ bus: Int) -> [ControlLevel]? {
    // Some units have one parameter for each channel of an element, others one element for each
    // channel.
    let places =
      unit.channelElements(scope, bus).map { elements in
        elements.flatMap { element in channels.map { ($0, element) } }
      } ?? channels.map { ($0, bus) }
    let levels = places.compactMap { channel, element -> ControlLevel? in
      guard let average = try? unit.parameter(channel.average, scope, element),
        let peak = try? unit.parameter(channel.peak, scope, element)
      else { return nil }
      return ControlLevel(average: Double(average), peak: Double(peak))
    }
    return levels.isEmpty ? nil : levels
  }
}

extension ControlMeter {
  /// The reading of a tap.
  fileprivate init(_ measurement: TapMeasurement) {
    self.init(place: .tap(name: measurement.name), levels: [])
    switch measurement.reading {
    case .meter(let meter):
      levels = meter.channels.map { ControlLevel(average: $0.rms, peak: $0.heldPeak) }
    case .loudness(let loudness):
      readings = [
        .init(name: "momentary", unit: "LUFS", values: [loudness.momentary]),
        .init(name: "shortTerm", unit: "LUFS", values: [loudness.shortTerm]),
        .init(name: "integrated", unit: "LUFS", values: [loudness.integrated]),
        .init(name: "range", unit: "LU", values: [loudness.range]),
        .init(name: "truePeak", unit: "dBTP", values: loudness.truePeaks),
      ]
    case .spectrum(let spectrum):
      readings = [
        .init(
          name: "spectrum", unit: "dBFS", values: spectrum.recent.levels.map(Double.init),
          axis: .bins(width: spectrum.binWidth)),
        .init(
          name: "peakFrequency", unit: "Hz",
          values: [spectrum.recent.peakFrequency].compactMap(\.self)),
      ]
    }
  }
}

extension ControlUnit.Buses {
  fileprivate init(_ buses: UnitDescription.Buses) {
    self.init(count: buses.count, most: buses.settable?.upperBound ?? buses.count)
  }
}
