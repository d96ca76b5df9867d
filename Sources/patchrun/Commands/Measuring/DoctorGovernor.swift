/// The frequency governor of the processors.
///
/// Sources: the kernel's `Documentation/admin-guide/pm/cpufreq.rst`, `intel_pstate.rst` and
/// `amd-pstate.rst`.
struct DoctorGovernor {
  private static let processors = "/sys/devices/system/cpu"
  private static let preferenceFile = "energy_performance_preference"

  let files: DoctorFiles

  var finding: DoctorFinding {
    let topic = "frequency governor"
    var found: [String] = []
    var isSlow = false
    var preferences: [String] = []
    for number in 0..<1024 {
      let folder = "\(Self.processors)/cpu\(number)"
      guard files.exists(folder) else { break }
      let name = files.read("\(folder)/cpufreq/scaling_governor")
      guard !name.isEmpty else { continue }
      var text = name
      if name == "powersave", let driver = activeDriver(folder) {
        text += " of \(driver), which follows the load"
        let preference = files.read("\(folder)/cpufreq/\(Self.preferenceFile)")
        if Self.savesPower(preference), !preferences.contains(preference) {
          preferences.append(preference)
        }
      } else if name == "powersave" || name == "conservative" {
        isSlow = true
      }
      if !found.contains(text) { found.append(text) }
    }
    guard !found.isEmpty else {
      return .init(
        topic: topic, state: .note,
        found: "the system does not say: it is the host's affair, or the frequency is fixed")
    }
    if isSlow {
      return .init(
        topic: topic, state: .warning, found: listed(found),
        cure: "'cpupower frequency-set -g performance' while you play")
    }
    guard !preferences.isEmpty else { return .init(topic: topic, state: .ok, found: listed(found)) }
    return .init(
      topic: topic, state: .note,
      found: "\(listed(found)), but it is slow to: \(Self.preferenceFile) is "
        + listed(preferences.map { "'\($0)'" }),
      cure: "'echo balance_performance | sudo tee "
        + "\(Self.processors)/cpu*/cpufreq/\(Self.preferenceFile)' while you play")
  }

  /// The driver of a processor, if it chooses the frequency by itself: `powersave` is then the
  /// usual governor, and not the lowest frequency. `nil` for any other.
  private func activeDriver(_ folder: String) -> String? {
    let driver = files.read("\(folder)/cpufreq/scaling_driver")
    switch driver {
    // The passive mode is called intel_cpufreq.
    case "intel_pstate": return (isActive("intel_pstate") ?? true) ? driver : nil
    // Linux 6.3 writes it with underscores.
    case "amd-pstate-epp", "amd_pstate_epp": return driver
    // The passive and the guided mode have this name, too.
    case "amd-pstate": return (isActive("amd_pstate") ?? false) ? driver : nil
    default: return nil
    }
  }

  /// Whether a driver is in the active mode; `nil` where the system does not say.
  private func isActive(_ driver: String) -> Bool? {
    let status = files.read("\(Self.processors)/\(driver)/status")
    return status.isEmpty ? nil : status == "active"
  }

  /// Whether a preference, a word or a number from 0 (performance) to 255 (power), favours saving
  /// power: `balance_power` is 192.
  private static func savesPower(_ preference: String) -> Bool {
    Int(preference).map { $0 >= 192 } ?? ["power", "balance_power"].contains(preference)
  }
}
