import Foundation
import Harald

/// Counts how often a process with an idle link wakes up.
enum IdleBench {
    static func run(address: String, seconds: Int) async throws {
        let central = try await Central(adapter: Adapter(address), options: AdapterOptions(storage: .none))
        try await central.waitUntilPoweredOn()
        guard let peripheral = await central.peripheral(address: BenchRun.server) else {
            throw BenchFailure("no such address")
        }
        try await peripheral.connect()
        _ = try await peripheral.characteristic("FFF0", "FFF1").read()
        // "PID/task/TID" of the loop's thread; nil if the system has no such link.
        let thread = await Task(executorPreference: central.executor) {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        }.value
        // A thread of its own, because a blocked thread of Dispatch would count.
        let (ofLoop, ofProcess) = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // The procedures after a connection and the idle threads of the runtime have ended by then.
                sleep(10)
                let (loop, process) = (switches(of: thread), Usage.now)
                sleep(UInt32(seconds))
                // The sleep of this thread is a switch of the process too.
                let others = Int((Usage.now - process).switches) - 1
                continuation.resume(returning: (switches(of: thread) - loop, others))
            }
        }
        // On Linux, Dispatch wakes up once a second in every program that has used a queue.
        print("link", "seconds=\(seconds) wakeups=\(ofLoop) process=\(ofProcess)")
        flushOutput()
        await central.close()
    }
    /// The number of times that a thread of this process has waited.
    private static func switches(of thread: String?) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(thread ?? "")/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0
    }
}
