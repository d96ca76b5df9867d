import Foundation

/// A private D-Bus with a RealtimeKit that behaves as configured and really grants scheduling, with
/// the rights of the user who runs the tests. It ends with the object.
public final class FakeRealtimeKit {
  /// The answers and the behaviour of the service.
  public struct Manner: Sendable {
    public var priority = 20
    public var niceness = -15
    public var microseconds = 200_000
    public var refusesRealTime = false
    public var refusesNiceness = false
    /// The seconds that each answer takes.
    public var delay = 0.0
    /// Whether the service is on the bus.
    public var isThere = true

    public init() {}
  }

  public struct Failure: Error {}

  /// Whether the programs of the bus and the Python modules of the service are installed.
  public static let isInstalled =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbus/__init__.py")
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/gi/__init__.py")

  private let directory: URL
  private let bus: ChildProcess
  private let service: ChildProcess?

  /// The value for `DBUS_SYSTEM_BUS_ADDRESS`.
  public var address: String { "unix:path=\(directory.path)/bus" }

  /// The requests that it got, in order, such as `MakeThreadRealtime 5`.
  public var requests: [String] {
    let text = (try? String(contentsOfFile: directory.path + "/requests", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  public init(_ manner: Manner = Manner()) throws {
    directory = URL(fileURLWithPath: "/tmp/patchrun-bus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let environment = ["PATH": "/usr/bin:/bin", "HOME": directory.path]
    let socket = directory.path + "/bus"
    bus = try ChildProcess(
      "/usr/bin/dbus-daemon",
      [
        "--session", "--nofork", "--nopidfile", "--address=unix:path=\(socket)",
        "--print-address=2",
      ],
      environment: environment, errors: directory.path + "/bus.log")
    // The socket's file is there before the bus listens; it prints its address when it does.
    guard Self.appears("unix:path=", in: directory.path + "/bus.log") else { throw Failure() }
    guard manner.isThere else {
      service = nil
      return
    }
    let program = directory.path + "/rtkit.py"
    try Self.program.write(toFile: program, atomically: true, encoding: .utf8)
    service = try ChildProcess(
      "/usr/bin/python3",
      [
        program, "unix:path=\(socket)", directory.path, "\(manner.priority)",
        "\(manner.niceness)", "\(manner.microseconds)", manner.refusesRealTime ? "1" : "0",
        manner.refusesNiceness ? "1" : "0", "\(manner.delay)",
      ], environment: environment, errors: directory.path + "/service.log")
    guard Self.appears(in: directory.path + "/ready") else { throw Failure() }
  }

  deinit {
    for process in [service, bus] {
      process?.signal(SIGKILL)
      process?.wait()
    }
    try? FileManager.default.removeItem(at: directory)
  }

  /// Stops the bus process, so that clients get no answer.
  public func hang() { bus.signal(SIGSTOP) }

  /// Waits for a file, or for a text in it.
  private static func appears(_ text: String = "", in path: String) -> Bool {
    func isThere() -> Bool {
      guard let content = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
      return text.isEmpty || content.contains(text)
    }
    for _ in 0..<1000 where !isThere() { usleep(10_000) }
    return isThere()
  }

  private static let program = """
    import os, sys, time
    import dbus, dbus.service, dbus.bus
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib

    address, folder = sys.argv[1:3]
    priority, niceness, microseconds, no_real_time, no_niceness = map(int, sys.argv[3:8])
    delay = float(sys.argv[8])
    NAME = "org.freedesktop.RealtimeKit1"

    class Refused(dbus.DBusException):
        _dbus_error_name = "org.freedesktop.DBus.Error.AccessDenied"

    def note(text):
        with open(folder + "/requests", "a") as file:
            file.write(text + "\\n")

    def most(thread):
        # The hard limit of the process that asks, in microseconds: the real one looks at it, too.
        for line in open("/proc/%d/limits" % thread):
            if line.startswith("Max realtime timeout"):
                word = line.split()[4]
                return None if word == "unlimited" else int(word)

    class RealtimeKit(dbus.service.Object):
        @dbus.service.method("org.freedesktop.DBus.Properties", "ss", "v")
        def Get(self, interface, name):
            time.sleep(delay)
            return {"MaxRealtimePriority": dbus.Int32(priority), "MinNiceLevel": dbus.Int32(niceness),
                    "RTTimeUSecMax": dbus.Int64(microseconds)}[name]

        @dbus.service.method(NAME, "tu", "")
        def MakeThreadRealtime(self, thread, asked):
            time.sleep(delay)
            note("MakeThreadRealtime %d" % asked)
            limit = most(thread)
            if limit is None or limit > microseconds:
                raise Refused("RLIMIT_RTTIME is too much")
            if no_real_time or asked > priority:
                raise Refused("not today")
            os.sched_setscheduler(thread, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(asked))

        @dbus.service.method(NAME, "ti", "")
        def MakeThreadHighPriority(self, thread, asked):
            time.sleep(delay)
            note("MakeThreadHighPriority %d" % asked)
            if no_niceness or asked < niceness:
                raise Refused("nor that")
            os.setpriority(os.PRIO_PROCESS, thread, asked)

    DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    name = dbus.service.BusName(NAME, bus)
    service = RealtimeKit(bus, "/org/freedesktop/RealtimeKit1")
    open(folder + "/ready", "w").close()
    GLib.MainLoop().run()
    """
}
