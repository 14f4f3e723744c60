import Foundation
import Synchronization

/// Reports misuse of the API on standard error, as Apple's systems do, at most once per second and message.
enum Misuse {
    private static let reported = Mutex<[String: UInt64]>([:])
    /// Receives the messages, for tests.
    static let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    static func report(_ what: String) {
        let now = DispatchTime.now().uptimeNanoseconds
        // A program that repeats the mistake in a loop does not fill the disk.
        let isNew = reported.withLock { reported in
            if let last = reported[what], now - last < 1_000_000_000 { return false }
            if reported.count > 256 { reported = [:] }
            reported[what] = now
            return true
        }
        let line = "[CoreBluetooth] API MISUSE: \(what)\n"
        listener.withLock { $0 }?(line)
        if isNew { write(line) }
    }

    /// Reports a problem that is not the program's fault and that its user should know.
    static func notice(_ what: String) { write("[CoreBluetooth] \(what)\n") }

    /// A message that cannot be written, because standard error is a file on a full disk, is lost.
    private static func write(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data(line.utf8)) }
}
