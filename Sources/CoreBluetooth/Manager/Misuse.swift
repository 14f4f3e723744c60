import Foundation
import Synchronization

/// Says once per kind and second what a program did wrong, on the standard error, as Apple's systems do.
enum Misuse {
    private static let told = Mutex<[String: UInt64]>([:])
    /// For tests: hears what is said.
    static let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    static func report(_ what: String) {
        let now = DispatchTime.now().uptimeNanoseconds
        // A program that does it in a loop does not fill the disk.
        let isNew = told.withLock { told in
            if let last = told[what], now - last < 1_000_000_000 { return false }
            if told.count > 256 { told = [:] }
            told[what] = now
            return true
        }
        let line = "[CoreBluetooth] API MISUSE: \(what)\n"
        listener.withLock { $0 }?(line)
        if isNew { FileHandle.standardError.write(Data(line.utf8)) }
    }

    /// Something that is not the program's fault, and that its user should know.
    static func notice(_ what: String) { FileHandle.standardError.write(Data("[CoreBluetooth] \(what)\n".utf8)) }
}
