import BluetoothModel

/// A device that the host waits for, to connect to it as central.
public final class PendingConnection {
    enum State {
        case waiting((Result<LELink, RadioError>) -> Void)
        case cancelling((Result<LELink, RadioError>) -> Void)
        case ended
    }

    /// Whom to connect to.
    public let address: BluetoothAddress
    /// The wish for connection parameters.
    public let parameters: ConnectionParametersRequest
    var state: State
    /// nil once the attempt has ended, or the host is gone.
    unowned var initiator: Initiator?

    init(
        address: BluetoothAddress, parameters: ConnectionParametersRequest, initiator: Initiator?,
        completion: @escaping (Result<LELink, RadioError>) -> Void
    ) {
        self.address = address
        self.parameters = parameters
        self.initiator = initiator
        state = .waiting(completion)
    }

    /// Gives up. The completion is called with ``RadioError/cancelled`` once the controller no longer tries; a link
    /// that comes up meanwhile is ended first. Does nothing where the attempt has ended.
    public func cancel() {
        guard case .waiting(let completion) = state else { return }
        state = .cancelling(completion)
        initiator?.cancelled(self)
    }

    /// Whether the device is still waited for.
    public var isPending: Bool {
        if case .waiting = state { true } else { false }
    }

    func end(_ result: Result<LELink, RadioError>) {
        switch state {
        case .waiting(let completion), .cancelling(let completion):
            state = .ended
            initiator = nil
            completion(result)
        case .ended: return
        }
    }
}
