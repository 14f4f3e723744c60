@testable import BluetoothRuntime

/// The ways in which a socket is read. A channel behaves identically with all.
enum ReadingLoop: CaseIterable {
    /// The loop's thread blocks in the system call that receives, if the system supports it.
    case receives
    /// The channel reads when the loop reports that it can.
    case watches

    private static let watching = RadioLoop(clock: .real, idleNanoseconds: 500_000_000, interface: .epoll)

    /// A new loop for each channel if a thread blocks in its system call.
    var loop: RadioLoop {
        switch self {
        case .receives: RadioLoop(clock: .real, idleNanoseconds: 500_000_000, interface: .receive)
        case .watches: Self.watching
        }
    }
}
