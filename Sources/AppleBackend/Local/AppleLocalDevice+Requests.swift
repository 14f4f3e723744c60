#if os(macOS) || os(iOS) || os(visionOS) || os(Linux)
import BluetoothBackend
import BluetoothModel
import CoreBluetooth

/// The requests of centrals to a local device.
extension AppleLocalDevice {
    private func respond(_ request: CBATTRequest, _ result: Result<[UInt8], ATTErrorCode>) {
        withManager { manager in
            switch result {
            case .success(let bytes):
                request.value = Data(bytes)
                manager.respond(to: request, withResult: .success)
            case .failure(let code):
                manager.respond(to: request, withResult: .init(rawValue: .init(code.rawValue)) ?? .unlikelyError)
            }
        }
    }

    func read(_ request: CBATTRequest) {
        let central = note(request.central)
        guard let value = services.value(of: request.characteristic) else {
            return respond(request, .failure(.attributeNotFound))
        }
        let offset = request.offset
        if let bytes = value.bytes {
            return respond(
                request, offset <= bytes.count ? .success(Array(bytes.dropFirst(offset))) : .failure(.invalidOffset))
        }
        guard let delegate else { return respond(request, .failure(.readNotPermitted)) }
        delegate.localDevice(
            read: LocalReadRequest(central: central, attribute: value.id, offset: offset) { [weak self] in
                self?.respond(request, $0)
            })
    }

    func write(_ requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        let central = note(first.central)
        var parts: [LocalWriteRequest.Part] = []
        for request in requests {
            guard let value = services.value(of: request.characteristic) else {
                return respond(first, .failure(.attributeNotFound))
            }
            parts.append(
                .init(attribute: value.id, offset: request.offset, value: [UInt8](request.value ?? Data())))
        }
        guard let delegate else { return respond(first, .failure(.writeNotPermitted)) }
        let changed: [AttributeID: [UInt8]]
        switch services.applying(parts) {
        case .success(let values): changed = values
        case .failure(let code): return respond(first, .failure(code))
        }
        // CoreBluetooth does not report if the central expects a response; a superfluous one is dropped.
        delegate.localDevice(
            write: LocalWriteRequest(central: central, parts: parts) { [weak self] result in
                guard let self else { return }
                if case .success = result { for (id, value) in changed { setValue(value, of: id) } }
                withManager { manager in
                    switch result {
                    case .success: manager.respond(to: first, withResult: .success)
                    case .failure(let code):
                        manager.respond(to: first, withResult: .init(rawValue: .init(code.rawValue)) ?? .unlikelyError)
                    }
                }
            })
    }
}
#endif
