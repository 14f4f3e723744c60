import BluetoothBackend
import BluetoothModel
import SystemBus

/// Requests of BlueZ to the local device.
extension BlueZLocalDevice {
    /// Answers a call of BlueZ to one of the device's objects.
    func called(_ call: BusCall, _ attribute: LocalApplication.Attribute?) {
        if call.interface == BlueZ.advertisement {
            call.respond(.success([]))
            guard isAdvertising else { return }
            isAdvertising = false
            delegate?.localDevice(advertisingEnded: .limit("BlueZ stopped the advertising"))
            return
        }
        guard let attribute else { return refuse(call, .invalidHandle) }
        switch call.member {
        case "ReadValue": read(call, attribute)
        case "WriteValue": write(call, attribute)
        case "StartNotify":
            call.respond(.success([]))
            guard notifying.insert(attribute.id).inserted else { return }
            let flags = attribute.properties["Flags"]?.texts ?? []
            let kind: SubscriptionKind = flags.contains("notify") ? .notifications : .indications
            for id in centrals { delegate?.localDevice(subscribed: id, to: attribute.id, kind: kind) }
        case "StopNotify":
            call.respond(.success([]))
            guard notifying.remove(attribute.id) != nil else { return }
            endIndications(of: attribute.id)
            for id in centrals { delegate?.localDevice(unsubscribed: id, from: attribute.id) }
        case "Confirm":
            call.respond(.success([]))
            if var waiting = indications.removeValue(forKey: attribute.id), !waiting.isEmpty {
                let first = waiting.removeFirst()
                if !waiting.isEmpty { indications[attribute.id] = waiting }
                first(.success(()))
            }
        default: call.respond(.failure(BusError("org.bluez.Error.NotSupported", "not supported")))
        }
    }

    private func refuse(_ call: BusCall, _ code: ATTErrorCode) { call.respond(.failure(BusError(code))) }

    /// Returns the central in the options of a request.
    private func context(_ options: [String: BusValue]) -> PeripheralID? {
        guard let central = options["device"]?.text.flatMap({ self.central(at: $0) }) ?? centrals.first else {
            return nil
        }
        if let mtu = options["mtu"]?.integer { mtus[central] = mtu }
        return central
    }

    private func read(_ call: BusCall, _ attribute: LocalApplication.Attribute) {
        let options = call.arguments.first?.properties ?? [:]
        let offset = options["offset"]?.integer ?? 0
        let central = context(options)
        if let value = attribute.value {
            guard offset <= value.count else { return refuse(call, .invalidOffset) }
            return call.respond(.success([.bytes(Array(value.dropFirst(offset)))]))
        }
        guard let delegate, let central else { return refuse(call, .readNotPermitted) }
        delegate.localDevice(
            read: LocalReadRequest(central: central, attribute: attribute.id, offset: offset) { result in
                call.respond(result.map { [.bytes($0)] }.mapError { BusError($0) })
            })
    }

    private func write(_ call: BusCall, _ attribute: LocalApplication.Attribute) {
        guard call.arguments.count == 2, let value = call.arguments[0].bytes else { return refuse(call, .invalidPDU) }
        let options = call.arguments[1].properties ?? [:]
        // Asks only if a queued write would be allowed; the write itself follows.
        if options["prepare-authorize"]?.bool == true { return call.respond(.success([])) }
        guard let delegate, let central = context(options) else { return refuse(call, .writeNotPermitted) }
        let part = LocalWriteRequest.Part(
            attribute: attribute.id, offset: options["offset"]?.integer ?? 0, value: value)
        guard application.accepts(part) else { return refuse(call, .invalidOffset) }
        if options["type"]?.text == "command" {
            application.apply(part)
            call.respond(.success([]))
            return delegate.localDevice(write: LocalWriteRequest(central: central, parts: [part], respond: nil))
        }
        delegate.localDevice(
            write: LocalWriteRequest(central: central, parts: [part]) { [application] result in
                if case .success = result { application.apply(part) }
                call.respond(result.map { [] }.mapError { BusError($0) })
            })
    }
}

extension BusError {
    /// Creates the error of an application that BlueZ translates to this ATT error.
    init(_ code: ATTErrorCode) {
        switch code {
        case .readNotPermitted, .writeNotPermitted: self.init("org.bluez.Error.NotPermitted", "\(code)")
        case .insufficientAuthorization: self.init("org.bluez.Error.NotAuthorized", "\(code)")
        case .invalidOffset: self.init("org.bluez.Error.InvalidOffset", "\(code)")
        case .invalidValueLength: self.init("org.bluez.Error.InvalidValueLength", "\(code)")
        case .requestNotSupported: self.init("org.bluez.Error.NotSupported", "\(code)")
        // BlueZ parses the number in the text, and accepts application errors (0x80 to 0x9F) only.
        default: self.init("org.bluez.Error.Failed", "0x" + [code.rawValue].hexText().lowercased())
        }
    }
}
