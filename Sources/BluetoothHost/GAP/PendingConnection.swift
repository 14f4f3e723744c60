import BluetoothModel

/// An outstanding connection of the host, as central, to a device.
package final class PendingConnection {
    enum State {
        case waiting((Result<LELink, RadioError>) -> Void)
        case cancelling((Result<LELink, RadioError>) -> Void)
        case ended
    }

    /// The address of the device.
    package let address: BluetoothAddress
    /// The preferred connection parameters.
    package let parameters: ConnectionParametersRequest
    var state: State
    /// Proof of `unowned`: nil once the attempt has ended or the initiator's `deinit` has run.
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

    /// Cancels the attempt. The completion is called with ``RadioError/cancelled`` once the controller has stopped
    /// initiating; a link that is established meanwhile is disconnected first. No effect after the attempt has ended.
    package func cancel() {
        guard case .waiting(let completion) = state else { return }
        state = .cancelling(completion)
        initiator?.cancelled(self)
    }

    /// True while the attempt is neither completed nor cancelled.
    package var isPending: Bool {
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
