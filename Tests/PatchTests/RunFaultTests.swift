import Foundation
import SoundFiles
import TestSupport
import Testing

/// Faults that a live run survives: a full disk, servers and machines that stop, and the loss of
/// real-time scheduling.
@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "pulseaudio and parec are not installed"))
struct RunFaultTests {
  let place: Workplace
  let server: PrivatePulse

  init() throws {
    server = try PrivatePulse()
    place = try Workplace(on: server)
  }

  private func start(_ taps: String, _ options: String...) throws -> Workplace.Running {
    try place.write(TestPatch.noise(taps: taps), to: "noise.json")
    let run = try place.start(["noise.json"] + options)
    #expect(run.waitForErrors(" Hz, slice "), "\(run.errorsSoFar)")
    return run
  }

  /// The value of a name with labels in `/metrics`.
  private func metric(_ name: String) throws -> Double {
    let socket = try place.run("ctl", "socket").output.trimmingCharacters(
      in: .whitespacesAndNewlines)
    let text = try place.shell(
      "curl -s --unix-socket '\(socket)' http://localhost/metrics"
    ).wait().output
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return try #require(Double(line?.split(separator: " ").last ?? ""), "\(text)")
  }

  @Test(.enabled(if: SmallDisk.canMount, "mounting takes root"))
  func `a full disk ends a file and not the run, which goes on in another one`() throws {
    let disk = try SmallDisk(bytes: 8 << 20)
    disk.fill(leaving: 400_000)
    let run = try start(
      #"{ "rec": { "kind": "record", "at": "mixer", "path": "\#(disk.path)/take.wav" } }"#,
      "--allow-path", disk.path)
    #expect(run.waitForErrors("the disk is full"), "\(run.errorsSoFar)")
    usleep(1_500_000)
    #expect(try metric("patchrun_lost_frames_total") > 0)
    #expect(try metric(#"patchrun_file_events_total{kind="ended"}"#) == 1)
    disk.clear()
    #expect(run.waitForErrors("take-2.wav': there is room again"), "\(run.errorsSoFar)")
    usleep(500_000)
    run.process.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 4)
    #expect(disk.names == ["take-2.wav", "take.wav"])
    let frames = try disk.names.map {
      try SoundFileReader(path: "\(disk.path)/\($0)").frameCount
    }
    // The missing frames and the duration by the summary.
    let gap = try #require(outcome.errors.firstMatch(of: /\(([0-9]+) frames\) missing at 0:00.000/))
    let seconds = try #require(outcome.errors.firstMatch(of: /([0-9.]+) s, load/))
    let total = Int((try #require(Double(seconds.1)) * 48_000).rounded())
    // The summary is rounded to milliseconds.
    #expect(abs(frames.reduce(0, +) + (Int(gap.1) ?? 0) - total) <= 24, "\(outcome.errors)")
  }

  @Test func `a gap is marked in one file and filled in the other`() throws {
    let run = try start(
      """
      { "mark": { "kind": "record", "at": "mixer", "path": "mark.wav" },
        "fill": { "kind": "record", "at": "mixer", "path": "fill.wav", "gaps": "fill" } }
      """)
    usleep(500_000)
    server.signal(SIGSTOP)
    usleep(1_500_000)
    server.signal(SIGCONT)
    #expect(run.waitForErrors("fill.wav': "), "\(run.errorsSoFar)")
    usleep(500_000)
    run.process.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    let told = outcome.errors.matches(
      of: /'[^']*fill.wav': ([0-9.]+) s missing at [^\n]*silence stands in its place/)
    // Each gap is reported when it happens and in the summary.
    let gaps = told.compactMap { Double($0.1) }.reduce(0, +) / 2
    #expect(gaps > 0.8, "\(outcome.errors)")
    let (marked, filled) = (
      try SoundFileReader(path: place.path("mark.wav")).frameCount,
      try SoundFileReader(path: place.path("fill.wav")).frameCount
    )
    #expect(abs(Double(filled - marked) / 48_000 - gaps) < 0.002 * Double(told.count))
    #expect(Data(try place.bytes("mark.wav")).range(of: Data("cue ".utf8)) != nil)
    #expect(outcome.errors.contains("the sound server stood still"), "\(outcome.errors)")
    // If the machine did not run the thread in time either, it is the reported cause.
    #expect(
      outcome.errors.contains("the server's") || outcome.errors.contains("the machine's"),
      "\(outcome.errors)")
  }

  @Test func `a run that was stopped says that the machine did not run it`() throws {
    let run = try start("{}")
    usleep(500_000)
    run.process.signal(SIGSTOP)
    usleep(1_500_000)
    run.process.signal(SIGCONT)
    #expect(
      run.waitForErrors("the machine's: the render thread was not run for"), "\(run.errorsSoFar)")
    #expect(try metric(#"patchrun_underruns_total{cause="machine"}"#) >= 1)
    // The status also reports the additional latency of the server.
    #expect(run.waitForErrors("of what is played the sound server keeps"), "\(run.errorsSoFar)")
    usleep(200_000)
    #expect(try metric("patchrun_raised_latency_seconds") > 0)
    #expect((0...60).contains(try metric("patchrun_raised_latency_until_less_seconds")))
    let status = try place.run("ctl", "status").output
    #expect(
      status.contains(/latency raised by [0-9.]+ ms for 0:0[0-9.]+: [0-9.]+ ms of what is played/)
        && status.contains("a slice less in 0:5"), "\(status)")
    let doctor = try place.run("doctor", "--no-sound").output
    #expect(doctor.contains(/WARNING  run noise +playing, .*latency raised by [0-9]/), "\(doctor)")
    run.process.signal(SIGUSR1)
    #expect(run.waitForErrors(", latency raised by "), "\(run.errorsSoFar)")
    run.process.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains(" the machine's)"), "\(outcome.errors)")
  }

  @Test func `a file that is read too slowly is counted as the file's`() throws {
    // Reads of the file block while another file exists.
    let shim = try NativeLibrary.build(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/types.h>
      #include <unistd.h>
      static void wait_for(int fd) {
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        long count = readlink(link, path, sizeof path - 1);
        const char *flag = getenv("SLOW_FLAG");
        if (count < 0 || !flag) return;
        path[count] = 0;
        while (strstr(path, "long.wav") && access(flag, F_OK) == 0) usleep(10000);
      }
      ssize_t pread64(int fd, void *buffer, size_t count, off_t offset) {
        wait_for(fd);
        ssize_t (*next)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");
        return next(fd, buffer, count, offset);
      }
      ssize_t pread(int fd, void *buffer, size_t count, off_t offset) {
        return pread64(fd, buffer, count, offset);
      }
      """, name: "slow.so", flags: ["-shared", "-fPIC", "-ldl"])
    try place.write(TestPatch.generic(#"{ "kind": "noise", "seed": 3 }"#), to: "make.json")
    let made = try place.run("render", "make.json", "--duration", "30", "-o", "long.wav")
    #expect(made.status == 0, "\(made.errors)")
    try place.write(
      TestPatch.noise().replacing(
        #"{ "kind": "noise", "seed": 7 }"#, with: #"{ "kind": "file", "path": "long.wav" }"#),
      to: "play.json")
    let run = try place.shell(
      "LD_PRELOAD='\(shim)' SLOW_FLAG='\(place.path("slow"))' exec \"$PATCHRUN\" play.json")
    #expect(run.waitForErrors(" Hz, slice "), "\(run.errorsSoFar)")
    usleep(500_000)
    try place.write("", to: "slow")
    // Longer than the second that is read ahead.
    usleep(4_000_000)
    let watch = try place.watch()
    try FileManager.default.removeItem(atPath: place.path("slow"))
    #expect(run.waitForErrors(" came too late at "), "\(run.errorsSoFar)")
    #expect(try metric(#"patchrun_underruns_total{cause="file"}"#) >= 1)
    run.process.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let events = try watch.wait().output
    #expect(events.contains("long.wav': ") && events.contains("the disk was too slow"), "\(events)")
    // On a busy machine there may be other underruns too.
    #expect(outcome.errors.contains(" a file's"), "\(outcome.errors)")
  }

  /// Starts the program with a RealtimeKit and without the right to real-time scheduling.
  private func startUnprivileged(
    _ kit: FakeRealtimeKit, _ patch: String, _ options: String...
  ) throws -> Workplace.Running {
    place.environment["DBUS_SYSTEM_BUS_ADDRESS"] = kit.address
    let run = try place.shell(
      "exec setpriv --bounding-set=-sys_nice prlimit --rtprio=0:0 --nice=0:0 \"$PATCHRUN\" \"$@\"",
      [patch] + options)
    #expect(run.waitForErrors(" Hz, slice "), "\(run.errorsSoFar)")
    return run
  }

  private static let canDropRights =
    FakeRealtimeKit.isInstalled && getuid() == 0
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

  @Test(.enabled(if: canDropRights, "a root without dbus-daemon, python3-dbus and setpriv cannot"))
  func `who may not have real-time scheduling gets it by RealtimeKit`() throws {
    let kit = try FakeRealtimeKit()
    try place.write(TestPatch.noise(), to: "noise.json")
    let run = try startUnprivileged(kit, "noise.json")
    #expect(kit.requests == ["MakeThreadRealtime 5"])
    #expect(
      run.errorsSoFar.contains("real-time (round robin, priority 5, by RealtimeKit)"),
      "\(run.errorsSoFar)")
    let threads = "/proc/\(run.process.processIdentifier)/task"
    let policies = try FileManager.default.contentsOfDirectory(atPath: threads).compactMap {
      Int32($0).map { sched_getscheduler($0) & 0xFF }
    }
    #expect(policies.contains(SCHED_RR))
    run.process.signal(SIGTERM)
    #expect(try run.wait().status == 0)
    let doctor = try place.shell(
      "exec setpriv --bounding-set=-sys_nice prlimit --rtprio=0:0 --nice=0:0 \"$PATCHRUN\" doctor"
    ).wait()
    #expect(
      doctor.output.contains("granted: real-time (round robin, priority 5, by RealtimeKit)"),
      "\(doctor.output)")
  }

  @Test(.enabled(if: canDropRights, "a root without dbus-daemon, python3-dbus and setpriv cannot"))
  func `what RealtimeKit refuses is said, and where its bus hangs a run begins all the same`()
    throws
  {
    var manner = FakeRealtimeKit.Manner()
    manner.refusesRealTime = true
    let refusing = try FakeRealtimeKit(manner)
    try place.write(TestPatch.noise(), to: "noise.json")
    let high = try startUnprivileged(refusing, "noise.json", "--duration", "0.2")
    #expect(high.errorsSoFar.contains("high priority (niceness -11, by RealtimeKit; "))
    #expect(high.errorsSoFar.contains("RealtimeKit: not today"))
    #expect(try high.wait().status == 0)
    let hanging = try FakeRealtimeKit()
    hanging.hang()
    let normal = try startUnprivileged(hanging, "noise.json", "--duration", "0.2")
    #expect(normal.errorsSoFar.contains("normal (real-time was refused: "), "\(normal.errorsSoFar)")
    #expect(normal.errorsSoFar.contains("RealtimeKit: "))
    #expect(try normal.wait().status == 0)
  }

  @Test(.enabled(if: canDropRights, "a root without dbus-daemon, python3-dbus and setpriv cannot"))
  func `a render that takes longer than RealtimeKit allows loses that, and not the run`() throws {
    var manner = FakeRealtimeKit.Manner()
    manner.microseconds = 100_000
    let kit = try FakeRealtimeKit(manner)
    // Once, after a second of sound, it uses a third of a second of processor time.
    let library = try NativeLibrary.build(
      """
      #include <patchrun.h>
      #include <time.h>
      static double now(void) {
        struct timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_sec + time.tv_nsec * 1e-9;
      }
      OSStatus busy(void *state, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                    UInt32 bus, UInt32 frames, AudioBufferList *data) {
        static double rendered;
        rendered += frames;
        if (rendered > 48000 && rendered - frames <= 48000)
          for (double begin = now(); now() - begin < 0.3;) {}
        return 0;
      }
      """)
    try place.write(
      TestPatch.noise().replacing(
        #""kind": "noise", "seed": 7"#,
        with: #""kind": "native", "path": "\#(library)", "symbol": "busy""#), to: "busy.json")
    let run = try startUnprivileged(kit, "busy.json", "--allow-native")
    #expect(run.waitForErrors("has lost its real-time scheduling"), "\(run.errorsSoFar)")
    #expect(run.waitForErrors("an underrun at "), "\(run.errorsSoFar)")
    // If the machine takes the processor away for longer than that, it is the reported cause.
    if !run.errorsSoFar.contains("the machine's: the render thread was not run for ") {
      #expect(run.waitForErrors("the patch's own: to render "), "\(run.errorsSoFar)")
      #expect(
        run.errorsSoFar.contains("; most of it the callback of 'mixer:0'"), "\(run.errorsSoFar)")
    }
    usleep(200_000)
    run.process.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
