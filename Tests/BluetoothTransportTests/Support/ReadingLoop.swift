@testable import BluetoothRuntime

/// The ways in which a loop reads a socket. A channel behaves identically with all.
enum ReadingLoop: CaseIterable {
    /// The loop reads, where the system can do that.
    case reads
    /// The loop's thread blocks in the system call that receives.
    case receives
    /// The channel reads when the loop says so.
    case watches

    private static let watching = RadioLoop(clock: .real, idleNanoseconds: 500_000_000, interface: .epoll)

    /// A loop of its own for each channel that a thread blocks for.
    var loop: RadioLoop {
        switch self {
        case .reads: .shared
        case .receives: RadioLoop(clock: .real, idleNanoseconds: 500_000_000, interface: .receive)
        case .watches: Self.watching
        }
    }
}
