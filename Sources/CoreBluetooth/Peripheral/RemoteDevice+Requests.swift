import BluetoothBackend
import BluetoothModel
import Foundation

/// The requests to a device, in the order of the calls.
extension RemoteDevice {
    func begin(_ request: PeripheralRequest) {
        guard let link else { return request.finish(.failed(CBError.make(.notConnected))) }
        request.place = requests.count
        request.began = loop.operationBegan()
        requests.append(request)
        guard backlog.isEmpty else { return backlog.append(.request(request)) }
        request.identifier = perform(request, link)
    }

    func finished(_ request: PeripheralRequest) {
        if let place = request.place {
            let last = requests.removeLast()
            if last !== request {
                requests[place] = last
                last.place = place
            }
            request.place = nil
            loop.operationEnded(since: request.began)
        }
        mailbox.post(.request(request))
    }

    func failRequests(_ answer: () -> PeripheralRequest.Answer, cancelling: ((OperationID) -> Void)?) {
        backlog = []
        // In the order in which they were started; those that were not started come last.
        let unfinished = requests.sorted {
            ($0.identifier?.rawValue ?? .max) < ($1.identifier?.rawValue ?? .max)
        }
        for request in unfinished {
            request.finish(answer())
            if let identifier = request.identifier { cancelling?(identifier) }
        }
    }

    func perform(_ request: PeripheralRequest, _ link: any PeripheralLink) -> OperationID? {
        switch request.operation {
        case .read(_, let attribute), .readDescriptor(_, let attribute):
            return link.read(attribute, timeout: nil) { request.finish($0) { .data(Data($0.unsafeBytes)) } }
        case .write(_, let attribute, let bytes), .writeDescriptor(_, let attribute, let bytes):
            return link.write(bytes, to: attribute, timeout: nil) { request.finish($0) { _ in .done } }
        case .notify(let characteristic, let attribute, let isOn):
            return setNotify(request, characteristic, attribute, isOn, link)
        case .services(let filter):
            return link.discoverServices(filter?.models, timeout: nil) { request.finish($0) { .services($0) } }
        case .included(_, let service, _):
            return link.discoverIncludedServices(of: service, timeout: nil) { request.finish($0) { .services($0) } }
        case .characteristics(_, let service, let filter):
            return link.discoverCharacteristics(of: service, filter?.models, timeout: nil) {
                request.finish($0) { .characteristics($0) }
            }
        case .descriptors(_, let characteristic):
            return link.discoverDescriptors(of: characteristic, timeout: nil) {
                request.finish($0) { .descriptors($0) }
            }
        case .signalStrength:
            return link.readRSSI(timeout: nil) { request.finish($0) { .signalStrength($0) } }
        case .channel(let psm):
            let loop = loop
            return link.openChannel(psm: psm, timeout: nil) {
                request.finish($0) { .channel(ChannelStreams($0, loop: loop)) }
            }
        }
    }

    /// A characteristic with one of these properties can be notified or indicated.
    private static let sendingProperties: CBCharacteristicProperties = [
        .notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired,
    ]

    private func setNotify(
        _ request: PeripheralRequest, _ characteristic: CBCharacteristic, _ attribute: AttributeID, _ isOn: Bool,
        _ link: any PeripheralLink
    ) -> OperationID? {
        guard isOn else {
            guard let old = subscriptions.removeValue(forKey: attribute) else {
                request.finish(.done)
                return nil
            }
            for request in old.waiting { request.finish(.failed(CBError.make(.operationCancelled))) }
            link.unsubscribe(old.id, timeout: nil) { request.finish($0) { _ in .done } }
            return nil
        }
        guard !characteristic.properties.isDisjoint(with: Self.sendingProperties) else {
            request.finish(.failed(CBATTError.make(.requestNotSupported)))
            return nil
        }
        if let subscription = subscriptions[attribute] {
            // One that the device has not accepted yet may still be refused.
            if subscription.waiting.isEmpty {
                request.finish(.done)
            } else {
                subscriptions[attribute]?.waiting.append(request)
            }
            return nil
        }
        subscriptions[attribute] = Subscription(service: characteristic.service?.attribute, waiting: [request])
        let mailbox = mailbox
        let id = link.subscribe(
            attribute, kind: .any, timeout: nil,
            receive: { [self] view in
                mailbox.postWithinLimit(.value(characteristic, Data(view.unsafeBytes), self))
            }, completion: { [weak self] in self?.subscribed(request, attribute, $0) })
        subscriptions[attribute]?.id = id
        return id
    }

    /// Completes a request to subscribe, and those that wait for the same subscription.
    private func subscribed(
        _ request: PeripheralRequest, _ attribute: AttributeID, _ result: Result<Void, RadioError>
    ) {
        guard let requests = subscriptions[attribute]?.waiting, requests.first === request else {
            return request.finish(result) { _ in .done }
        }
        if case .failure = result { subscriptions[attribute] = nil } else { subscriptions[attribute]?.waiting = [] }
        for request in requests { request.finish(result) { _ in .done } }
    }
}

extension PeripheralRequest {
    /// Ends the request with a value or an error.
    fileprivate func finish<Value>(_ result: Result<Value, RadioError>, _ answer: (Value) -> Answer) {
        switch result {
        case .success(let value): finish(answer(value))
        case .failure(let error): finish(error)
        }
    }
}
