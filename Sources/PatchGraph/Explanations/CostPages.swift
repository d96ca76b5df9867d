import Diagnostics

extension Explanation {
  /// PR0026 and PR0226 to PR0232: what a patch may cost.
  static let costPages: [Explanation] = [
    Explanation(
      "PR0026", "A document has no more bytes than the limit, with all its sub-graphs: 16 MB.",
      because: """
        What is checked takes time and memory by its length, and patches come from strangers, too. Ten
        thousand nodes take about 3 MB. `--limit bytes=64M` allows more.
        """,
      example: .none("A patch of 16 MB is too long for a page.")),
    Explanation(
      "PR0226",
      "A patch has no more nodes, callbacks and taps than the limit, with those of its sub-graphs: 25000.",
      because: """
        Each takes memory and time to be made. Sub-graphs that name others twice, and these others
        twice again, become a thousand in ten steps: they are counted while they are read, and reading
        ends where there are too many. `--limit nodes=100000` allows more.
        """,
      example: .none("25,000 nodes are too long for a page.")),
    Explanation(
      "PR0227", "The \"inputCount\" of all nodes add up to no more than the limit: 65536.",
      because: """
        Each input of a mixer has its parameters, its meters and its buffers, whether something feeds it
        or not, and a number in the patch makes a thousand of them. `--limit buses=200000` allows more.
        """,
      example: .none("It takes more than 64 mixers of 1024 inputs.")),
    Explanation(
      "PR0228", "A chain has no more callbacks than the limit: 256.",
      because: """
        A callback that pulls another one makes a chain with it, and each that feeds an input has all of
        its chain made for that input. `--limit callbacks=1000` allows longer chains.
        """,
      example: .none("A chain of 257 callbacks is too long for a page.")),
    Explanation(
      "PR0229",
      "The documents that the updates of a timeline make have no more text than the limit: 32 MB.",
      because: """
        Each update makes a whole document of the one before, which is read, checked and kept until its
        time comes. What is counted are the bytes of these documents, and 512 more for each node, callback
        and tap in them. Of the timeline each has only what comes until the next update.
        `--limit updates=200M` allows more.
        """,
      example: .none("It takes some thousand updates, or a large patch with hundreds.")),
    Explanation(
      "PR0230", "An impulse response lasts no longer than the limit: 30 seconds.",
      because: """
        A response is kept in memory as spectra, and each frame that comes out is made of all of it.
        `--limit seconds=60` allows longer ones.
        """,
      status: .init("kAudioUnitErr_FormatNotSupported", -10868), note: undocumented,
      example: .none("It is the file that is too long, and not the patch.")),
    Explanation(
      "PR0231", "Units, callbacks and taps take no more memory than the limit, about: 384 MB.",
      because: """
        Echoes keep up to ten seconds of what they have heard, convolutions their responses, files what is
        read ahead, and each bus its buffers. What all of it takes is added up before any of it is
        allocated. `--limit memory=2G` allows more.
        """,
      status: .init("kAudioUnitErr_FailedInitialization", -10875), note: undocumented,
      example: .patch(
        """
        {
          "streamFormat": { "sample": "float32", "channels": 32, "sampleRate": 384000 },
          "callbacks": {
            "tone": { "kind": "tone" },
            "echo": { "kind": "echo", "from": "tone", "delay": 1 }
          },
          "nodes": { "out": { "component": "GenericOutput" } },
          "connections": [ { "from": "echo", "to": "out" } ]
        }
        """, wrong: ["\"delay\": 1": "\"delay\": 10"])),
    Explanation(
      "PR0232",
      "A patch takes no more of the time that it has to be rendered in than '--max-load' allows.",
      because: """
        `patchrun bench --max-load 20` renders a patch as fast as it can, and fails where that takes more
        than 20 % of the time that it sounds: a test for CI that nothing has become too slow for the
        machine that plays it. It is said at the part of the patch that takes most. What is measured
        depends on the machine, and on what else runs on it: leave some room.
        """,
      example: .none("It is the machine that decides, and not the patch.")),
  ]
}
