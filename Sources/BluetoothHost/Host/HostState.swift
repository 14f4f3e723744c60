import BluetoothModel

/// The state of a host stack and its controller.
package enum HostState: Hashable, Sendable {
    /// Not started, or stopped.
    case stopped
    /// The controller is being reset and set up.
    case starting
    /// The host is ready for use.
    case ready
    /// The controller reported a hardware error with this code and is being restarted.
    case restarting(hardwareError: UInt8)
    /// The controller cannot be used; ``LEHost/start(now:)`` retries.
    case failed(RadioError)
}

extension HostState {
    /// The state of the adapter that corresponds to this state.
    package var radioState: RadioState {
        switch self {
        case .stopped: .poweredOff
        case .starting: .unknown
        case .ready: .poweredOn
        case .restarting: .resetting
        case .failed(.radio(let state, _)): state
        case .failed: .unsupported
        }
    }

    /// The error with which operations fail in this state; nil if the host is ready.
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
