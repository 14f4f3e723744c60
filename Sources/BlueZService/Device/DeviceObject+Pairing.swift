import BluetoothBackend
import BluetoothModel
import SystemBus

/// Pairing at the request of clients, and bonds.
extension DeviceObject {
    /// A pairing at the request of a client.
    final class Pairing {
        let call: BusCall
        var operation: (link: any PeripheralLink, id: OperationID)?
        /// True once the client has its answer.
        var isAnswered = false

        init(_ call: BusCall) { self.call = call }

        func answer(_ result: Result<[BusValue], BusError>) {
            if isAnswered { return }
            isAnswered = true
            call.respond(result)
        }
    }

    func pair(_ call: BusCall) throws(BusError) -> Interface.Reply {
        if adapter?.isPowered == false { throw .authentication("Failed", "Authentication Failed") }
        if pairing != nil { throw .inProgress }
        if isBonded { throw .alreadyExists }
        keep()
        let pairing = Pairing(call)
        self.pairing = pairing
        adapter?.pairing.begin(id, for: call.sender)
        connect { [weak self] result in
            guard let self, self.pairing === pairing else {
                return pairing.answer(.failure(.authentication("Canceled", "Authentication Canceled")))
            }
            switch result {
            case .success: pair(pairing)
            case .failure: ended(pairing, .failure(.bluez("ConnectionAttemptFailed", "Page Timeout")))
            }
        }
        return .later
    }

    private func pair(_ pairing: Pairing) {
        guard let link else { return ended(pairing, .failure(.bluez("NotConnected", "Not Connected"))) }
        let operation = link.pair(to: .encrypted, timeout: nil) { [weak self] result in
            guard let self, self.pairing === pairing else { return }
            updateBond(isComplete: true)
            ended(pairing, result.map { _ in [] }.mapError { .pairing($0) })
        }
        pairing.operation = (link, operation)
    }

    private func ended(_ pairing: Pairing, _ result: Result<[BusValue], BusError>) {
        guard self.pairing === pairing else { return }
        self.pairing = nil
        adapter?.pairing.end(id)
        pairing.answer(result)
    }

    func cancelPairing() throws(BusError) -> Interface.Reply {
        guard let pairing else { throw .doesNotExist }
        let operation = pairing.operation
        adapter?.pairing.cancel(id)
        ended(pairing, .failure(.authentication("Canceled", "Authentication Canceled")))
        if let operation { operation.link.cancel(operation.id) } else { disconnect {} }
        return .done
    }
}

extension BusError {
    /// Returns the error of a pairing.
    fileprivate static func pairing(_ error: RadioError) -> BusError {
        switch error {
        case .security(let problem):
            // The kernel does not tell who refused.
            problem.kind == .timeout
                ? authentication("Timeout", "Authentication Timeout")
                : authentication("Failed", "Authentication Failed")
        case .timeout: authentication("Timeout", "Authentication Timeout")
        case .disconnected, .notConnected, .cancelled, .radio: authentication("Canceled", "Authentication Canceled")
        default: authentication("Failed", "Authentication Failed")
        }
    }
}
