import AudioTypes
import AudioUnits
import RenderCore

/// The groups of nodes that render in step (rate domains), and the number of frames that each
/// renders for a slice of the device.
///
/// The domain of the output unit is the main one. Everything upstream of an input that its unit
/// pulls at its own pace, as a sample rate converter does, is another domain.
///
/// A class: what looks up the domain of each node copies a reference only.
final class RateDomains: Sendable {
  enum Domain: Hashable, Sendable {
    case main
    /// Everything upstream of an input that its unit pulls.
    case input(BusKey)
    /// A microphone that only a tap observes, at another rate than the graph's.
    case microphone
  }

  /// The rate of the main domain, in Hz; `nil` where the output unit is missing or unused.
  let mainRate: Double?
  /// The domains of the nodes that are not in the main one.
  private let domains: [NodeID: Domain]
  private let demands: [BusKey: PullDemand]
  private let parents: [Domain: Domain]
  private let reaches: [Domain: PaceReach]
  private let microphone: Domain
  private let mainDemand: PullDemand?
  private let microphoneDemand: PullDemand?

  /// - Parameter preparation: Its configurations are settled and its pulled nodes found.
  init(_ model: GraphModel, _ preparation: Preparation) {
    let head = model.head.flatMap { preparation.configurations[$0.id] }
    let heard = head.flatMap { $0.outputs.count > 1 ? $0.outputs[1].format : nil }
    let isFed = head?.inputs[0].isUsed == true
    mainRate = isFed ? head?.inputs[0].format.sampleRate : heard?.sampleRate
    var domains: [NodeID: Domain] = [:]
    var demands: [BusKey: PullDemand] = [:]
    var parents: [Domain: Domain] = [:]
    var reaches: [Domain: PaceReach] = [:]
    for id in preparation.order.reversed() where preparation.pulled.contains(id) {
      guard let index = model.index(of: id), let configuration = preparation.configurations[id]
      else { continue }
      if !model.nodes[index].isOutput {
        // Outputs that are pulled at two paces are refused: see `OutputsInStep`.
        for output in configuration.outputs.indices {
          guard let taker = model.outputLinks[BusKey(node: id, bus: output)],
            preparation.pulled.contains(taker.destination)
          else { continue }
          let input = BusKey(node: taker.destination, bus: taker.input)
          let domain =
            demands[input] == nil ? domains[taker.destination] ?? .main : .input(input)
          if domain != .main { domains[id] = domain }
          break
        }
      }
      for (input, demand) in model.nodes[index].unit.pulledInputs(in: configuration) {
        let (key, parent) = (BusKey(node: id, bus: input), domains[id] ?? .main)
        demands[key] = demand
        parents[.input(key)] = parent
        reaches[.input(key)] = (reaches[parent] ?? PaceReach()).behind(demand)
      }
    }
    (self.domains, self.demands) = (domains, demands)
    (self.parents, self.reaches) = (parents, reaches)
    microphone = Self.microphone(
      model, preparation, domains, demands, isOther: heard?.sampleRate != mainRate)
    let device = isFed ? head?.device?.output : head?.device?.input
    if let rate = mainRate, let device, rate > 0, device.sampleRate > 0, device.sampleRate != rate {
      mainDemand = PullDemand(
        framesPerFrame: rate / device.sampleRate,
        ahead: PolyphaseResampler.lookAhead(
          inputRate: rate, outputRate: device.sampleRate, quality: DeviceConversion.quality))
    } else {
      mainDemand = nil
    }
    if microphone == .microphone, let heard, let mainRate, mainRate > 0, heard.sampleRate > 0 {
      microphoneDemand = PullDemand(framesPerFrame: heard.sampleRate / mainRate)
    } else {
      microphoneDemand = nil
    }
  }

  private static func microphone(
    _ model: GraphModel, _ preparation: Preparation, _ domains: [NodeID: Domain],
    _ demands: [BusKey: PullDemand], isOther: Bool
  ) -> Domain {
    guard let head = model.head,
      let taker = model.outputLinks[BusKey(node: head.id, bus: RemoteIO.inputElement)],
      preparation.pulled.contains(taker.destination)
    else { return isOther ? .microphone : .main }
    let input = BusKey(node: taker.destination, bus: taker.input)
    return demands[input] == nil ? domains[taker.destination] ?? .main : .input(input)
  }

  /// The domain that a node renders in.
  func domain(of node: NodeID) -> Domain { domains[node] ?? .main }

  /// The domain that fills an output element.
  func domain(ofOutput key: BusKey, head: NodeID?) -> Domain {
    key.node == head ? microphone : domain(of: key.node)
  }

  /// The domain of an input's feed.
  func domain(feeding input: BusKey) -> Domain {
    isPulled(input) ? .input(input) : domain(of: input.node)
  }

  /// The domain that pulls an output; `nil` where no pulled node takes it.
  func domain(taking output: BusKey, in model: GraphModel, _ pulled: Set<NodeID>) -> Domain? {
    model.outputLinks[output].flatMap { taker in
      pulled.contains(taker.destination)
        ? domain(feeding: BusKey(node: taker.destination, bus: taker.input)) : nil
    }
  }

  func isPulled(_ input: BusKey) -> Bool { !demands.isEmpty && demands[input] != nil }

  /// The most frames that a domain renders when the device asks for `frameCount`.
  func frames(in domain: Domain, for frameCount: Int) -> Int {
    switch domain {
    case .main: mainDemand?.frames(for: frameCount) ?? frameCount
    case .input(let input):
      demands[input]?.frames(for: frames(in: parents[domain] ?? .main, for: frameCount))
        ?? frameCount
    case .microphone:
      microphoneDemand?.frames(for: frames(in: .main, for: frameCount)) ?? frameCount
    }
  }

  /// What lies between the output unit and a domain.
  func reach(of domain: Domain) -> PaceReach { reaches[domain] ?? PaceReach() }

  /// Whether a unit pulls one of its inputs at its own pace.
  var havePulledInputs: Bool { !demands.isEmpty }

  /// Seconds of the input that pass in one second of the unit, with the graph's initial settings; 1
  /// for an input that is not pulled.
  func speed(of input: BusKey) -> Double { demands.isEmpty ? 1 : demands[input]?.speed ?? 1 }

  /// The delay from a pulled input to the unit's output, in frames of the input; 0 for an input
  /// that is not pulled.
  func delay(of input: BusKey) -> Double { demands[input]?.delay ?? 0 }

  /// The tail of the unit after a pulled input has ended, in frames of the input; 0 for an input
  /// that is not pulled.
  func tail(of input: BusKey) -> Double { demands[input]?.tail ?? 0 }

  /// The look-ahead of the units between the microphone and the loudspeaker, in seconds.
  func microphoneLead(_ model: GraphModel, _ preparation: Preparation) -> Double {
    guard let head = model.head else { return 0 }
    var lead = 0.0
    var key = BusKey(node: head.id, bus: RemoteIO.inputElement)
    while let taker = model.outputLinks[key], taker.destination != head.id {
      let input = BusKey(node: taker.destination, bus: taker.input)
      if let demand = demands[input],
        let format = preparation.configurations[input.node]?.inputs[input.bus].format,
        format.sampleRate > 0
      {
        lead += Double(demand.ahead + 1) / format.sampleRate
      }
      key = BusKey(node: taker.destination, bus: 0)
    }
    return lead
  }

  /// The service for a host: it converts frames of the device to frames of the domain.
  func scaled(_ service: any RenderService, in domain: Domain) -> any RenderService {
    if domain == .main && mainDemand == nil { return service }
    return ScaledService(service) { self.frames(in: domain, for: $0) }
  }
}
