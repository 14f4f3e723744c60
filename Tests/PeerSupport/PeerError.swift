/// The reason for which a peer did not do what a test expects.
package enum PeerError: Error, CustomStringConvertible {
    /// The program could not be started; the code is an `errno`.
    case notStarted(program: String, code: Int32)
    /// The expected line did not arrive in time.
    case timeout(waitingFor: String, after: Duration, transcript: String)
    /// The peer ended before it printed the expected line.
    case ended(PeerExit, waitingFor: String, transcript: String)
    /// The peer's input is closed.
    case inputClosed(program: String)
    /// The peer answered a command with an error.
    case refused(command: String, message: String)

    /// The failure, with the whole output of the peer.
    package var description: String {
        switch self {
        case .notStarted(let program, let code):
            "\(program) could not be started (errno \(code))"
        case .timeout(let what, let duration, let transcript):
            "no \(what) within \(duration); the peer printed:\n\(transcript)"
        case .ended(let exit, let what, let transcript):
            "the peer ended (\(exit)) before \(what); it printed:\n\(transcript)"
        case .inputClosed(let program):
            "\(program) does not read commands any more"
        case .refused(let command, let message):
            "the peer could not do '\(command)': \(message)"
        }
    }
}

/// The end of a process.
package enum PeerExit: Sendable, Hashable, CustomStringConvertible {
    /// It left with this status.
    case status(Int32)
    /// A signal ended it.
    case signal(Int32)

    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .status((waitStatus >> 8) & 0xFF) : .signal(signal)
    }

    /// "status 1" or "signal 9".
    package var description: String {
        switch self {
        case .status(let status): "status \(status)"
        case .signal(let signal): "signal \(signal)"
        }
    }
}
