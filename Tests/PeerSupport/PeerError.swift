/// Why a peer did not do what a test waits for.
public enum PeerError: Error, CustomStringConvertible {
    /// The program could not be started; the code is an `errno`.
    case notStarted(program: String, code: Int32)
    /// What was waited for did not come in time.
    case timeout(waitingFor: String, after: Duration, transcript: String)
    /// The peer ended before it printed what was waited for.
    case ended(PeerExit, waitingFor: String, transcript: String)
    /// The peer cannot be told anything any more.
    case inputClosed(program: String)
    /// The peer answered a command with an error.
    case refused(command: String, message: String)

    /// What went wrong, with everything that the peer printed.
    public var description: String {
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

/// How a process ended.
public enum PeerExit: Sendable, Hashable, CustomStringConvertible {
    /// It left with this status.
    case status(Int32)
    /// A signal ended it.
    case signal(Int32)

    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .status((waitStatus >> 8) & 0xFF) : .signal(signal)
    }

    /// "status 1" or "signal 9".
    public var description: String {
        switch self {
        case .status(let status): "status \(status)"
        case .signal(let signal): "signal \(signal)"
        }
    }
}
