import BluetoothBackend
import BluetoothModel
import Foundation

/// Requests and subscriptions of centrals on the local device.
extension PeripheralEngine: LocalDeviceDelegate {
    func localDevice(connected central: PeripheralID) {}

    func localDevice(disconnected central: PeripheralID, _ error: RadioError) {
        let ended = (subscriptions.removeValue(forKey: central) ?? []).sorted { $0.rawValue < $1.rawValue }
        let values = ended.compactMap { characteristics[$0] }
        let who = self.central(central)
        // A delegate may still hold the object; the next connection gets a new one, also where it begins before the end
        // of this one is delivered.
        PropertyLock.replace(nil) { swap(&centrals[central], &$0) }
        afterNewState { [self] in
            for value in values { manager?.unsubscribed(who, value) }
        }
    }

    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind) {
        tellEnded()
        guard let object = characteristics[characteristic] else { return }
        guard subscriptions[central, default: []].insert(characteristic).inserted else { return }
        let who = self.central(central)
        let isPosted = mailbox.postWithinLimit(.call { self.manager?.subscribed(who, object) })
        // The end of a subscription that is not reported is not reported either.
        if !isPosted { subscriptions[central]?.remove(characteristic) }
    }

    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID) {
        guard subscriptions[central]?.remove(characteristic) != nil, let object = characteristics[characteristic] else {
            return
        }
        let who = self.central(central)
        afterNewState { [self] in manager?.unsubscribed(who, object) }
        // Updates may have waited for this central.
        tellRoom()
    }

    func localDevice(read request: LocalReadRequest) {
        tellEnded()
        guard let object = characteristics[request.attribute] else {
            return request.respond(.failure(.attributeNotFound))
        }
        let attRequest = CBATTRequest(
            central: central(request.central), characteristic: object, offset: request.offset, value: nil,
            responder: Transfer(.read(request.respond)))
        let isPosted = mailbox.postWithinLimit(
            .call {
                guard let manager = self.manager else { return }
                guard let delegate = manager.delegate else {
                    return manager.respond(to: attRequest, withResult: .requestNotSupported)
                }
                delegate.peripheralManager(manager, didReceiveRead: attRequest)
            })
        if !isPosted { request.respond(.failure(.insufficientResources)) }
    }

    func localDevice(write request: LocalWriteRequest) {
        tellEnded()
        let who = central(request.central)
        let responder = Transfer(request.respond.map { CBATTRequest.Responder.write($0) } ?? .none)
        var requests: [CBATTRequest] = []
        for part in request.parts {
            guard let object = characteristics[part.attribute] else {
                request.respond?(.failure(.attributeNotFound))
                return
            }
            requests.append(
                CBATTRequest(
                    central: who, characteristic: object, offset: part.offset, value: Data(part.value),
                    responder: responder))
        }
        let isPosted = mailbox.postWithinLimit(
            .call {
                guard let manager = self.manager, let first = requests.first else { return }
                guard let delegate = manager.delegate else {
                    return manager.respond(to: first, withResult: .requestNotSupported)
                }
                delegate.peripheralManager(manager, didReceiveWrite: requests)
            })
        if !isPosted { request.respond?(.failure(.insufficientResources)) }
    }

    func localDeviceIsReadyToUpdate() { tellRoom() }

    func localDevice(advertisingEnded error: RadioError) {
        Misuse.notice("advertising ended: \(error)")
        mailbox.post { self.manager?.advertisingEnded() }
    }
}
