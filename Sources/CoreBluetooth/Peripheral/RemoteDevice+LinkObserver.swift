import BluetoothBackend
import BluetoothModel

/// Events of the link, the maximum lengths of writes, and the name.
extension RemoteDevice: LinkObserver {
    /// Returns the maximum length of one write, in octets; callable from any thread.
    func maximumWriteLength(_ type: CBCharacteristicWriteType) -> Int {
        type == .withResponse ? longestWrite.load(ordering: .relaxed) : longestCommand.load(ordering: .relaxed)
    }

    func noteLengths(_ link: any PeripheralLink) {
        longestWrite.store(link.maximumWriteLength(withResponse: true), ordering: .relaxed)
        longestCommand.store(link.maximumWriteLength(withResponse: false), ordering: .relaxed)
    }

    func linkMTUChanged(_ mtu: Int) { if let link { noteLengths(link) } }
    func linkParametersChanged(_ parameters: ConnectionParameters) {}
    func linkSecurityChanged(_ security: LinkSecurity) {}

    func linkNameChanged(_ name: String) { postWithinLimit { $0.nameChanged(name) } }

    func linkServicesChanged(_ services: [AttributeID]) {
        // The link has forgotten the subscriptions to them, so that subscribing again is a new request.
        subscriptions = subscriptions.filter { one in one.value.service.map { !services.contains($0) } ?? true }
        postWithinLimit { $0.servicesChanged(services) }
        if let link { readName(link) }
    }

    /// Reads the GAP name, which takes precedence once it is known. Where the device requires pairing for it, the name
    /// stays unknown.
    func readName(_ link: any PeripheralLink) {
        link.discoverServices([0x1800], timeout: nil) { [weak self] result in
            guard case .success(let services) = result, let service = services.first, let link = self?.link else {
                return
            }
            link.discoverCharacteristics(of: service.id, [0x2A00], timeout: nil) { [weak self] result in
                guard case .success(let found) = result, let name = found.first, let link = self?.link else { return }
                link.read(name.id, timeout: nil) { [weak self] result in
                    guard let self, case .success(let view) = result, !view.isEmpty else { return }
                    let name = String(decoding: view.unsafeBytes, as: UTF8.self)
                    guard name != gapName else { return }
                    gapName = name
                    engine.moreIsKnown(of: self)
                    postWithinLimit { $0.nameChanged(name) }
                }
            }
        }
    }
}
