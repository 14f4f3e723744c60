import BluetoothModel

/// What a host stack and its controller are doing.
public enum HostState: Hashable, Sendable {
    /// Nothing: not started, or stopped.
    case stopped
    /// The controller is being reset and asked what it can do.
    case starting
    /// Everything can be used.
    case ready
    /// The controller reported a hardware error, with its code, and is being started anew.
    case restarting(hardwareError: UInt8)
    /// The controller cannot be used; ``LEHost/start(now:)`` tries again.
    case failed(RadioError)
}

extension HostState {
    /// The same, as the user of an adapter sees it.
    public var radioState: RadioState {
        switch self {
        case .stopped: .poweredOff
        case .starting: .unknown
        case .ready: .poweredOn
        case .restarting: .resetting
        case .failed(.radio(let state, _)): state
        case .failed: .unsupported
        }
    }

    /// What ends that which cannot go on in this state; nil where the host is ready.
    var error: RadioError? {
        switch self {
        case .ready: nil
        case .stopped: .radio(.poweredOff, reason: "the adapter is not started")
        case .starting: .radio(.unknown, reason: "the adapter is still starting")
        case .restarting(let code):
            .radio(.resetting, reason: "the controller reported hardware error 0x\([code].hexText()) and restarts")
        case .failed(let error): error
        }
    }
}
