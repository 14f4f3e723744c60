import Foundation
import Harald

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
        let wakeups = await withCheckedContinuation { continuation in
            // A thread of its own: Dispatch wakes up every second while one of its threads is blocked.
            Thread.detachNewThread {
                // The procedures after a connection and the idle threads of the runtime have ended by then.
                sleep(10)
                let mark = Usage.now
                sleep(UInt32(seconds))
                // The sleep of this thread is a switch too.
                continuation.resume(returning: Int((Usage.now - mark).switches) - 1)
            }
        }
        print("link", "seconds=\(seconds) wakeups=\(wakeups)")
        flushOutput()
        await central.close()
    }
}
