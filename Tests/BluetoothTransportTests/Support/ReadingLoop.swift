@testable import BluetoothRuntime

/// The two ways in which a loop reads a socket. A channel behaves identically with both.
enum ReadingLoop: CaseIterable {
    /// The loop reads, where the system can do that.
    case reads
    /// The channel reads when the loop says so.
    case watches

    private static let watching = RadioLoop(clock: .real, idleNanoseconds: 500_000_000, readsByRing: false)

    var loop: RadioLoop { self == .reads ? .shared : Self.watching }
}
