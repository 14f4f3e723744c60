import Adapters
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// A device with descriptors that a central may write, which Apple's peripheral managers do not publish.
final class DescriptorServer: LocalDeviceDelegate {
    private var device: (any LocalDevice)?

    /// Starts advertising, with a default or the given data.
    static func started(
        on lease: AdapterLease,
        advertising data: AdvertisingData = AdvertisingData(
            localName: "Other", serviceUUIDs: [0xFFE0], flags: .standard)
    ) async throws -> LoopBound<DescriptorServer> {
        let loop = lease.loop
        let result: Result<LoopBound<DescriptorServer>, RadioError> = await withCheckedContinuation { continuation in
            loop.execute { Waiter(lease, data) { continuation.resume(returning: $0) }.start() }
        }
        return try result.get()
    }

    /// Waits until the adapter is powered on. Confined to the loop; retains itself until then.
    private final class Waiter: RadioObserver {
        private let lease: AdapterLease
        private let data: AdvertisingData
        private var done: ((Result<LoopBound<DescriptorServer>, RadioError>) -> Void)?
        private var own: Waiter?

        init(
            _ lease: AdapterLease, _ data: AdvertisingData,
            _ done: @escaping (Result<LoopBound<DescriptorServer>, RadioError>) -> Void
        ) {
            self.lease = lease
            self.data = data
            self.done = done
        }

        func start() {
            own = self
            lease.backend.value.addObserver(self)
            radioStateChanged(lease.backend.value)
        }

        func radioStateChanged(_ backend: any RadioBackend) {
            guard backend.state == .poweredOn, let done else { return }
            self.done = nil
            own = nil
            let server = DescriptorServer()
            do throws(RadioError) {
                let device = try backend.makeLocalDevice(LocalDeviceConfiguration(name: "Other"), delegate: server)
                server.device = device
                let writable = LocalDescriptor(uuid: 0xFFE2, value: [0], permissions: [.readable, .writeable])
                let fixed = LocalDescriptor(uuid: 0xFFE3, value: [0])
                let characteristic = LocalCharacteristic(
                    uuid: 0xFFE1, properties: .read, permissions: .readable, value: [0], descriptors: [writable, fixed])
                _ = try device.add(LocalService(uuid: 0xFFE0, characteristics: [characteristic]))
                let bound = LoopBound(confined: server, loop: backend.loop)
                device.startAdvertising(AdvertisingRequest(data: data)) { done($0.map { bound }) }
            } catch {
                done(.failure(error))
            }
        }

        func peripheralConnected(_ peripheral: PeripheralID) {}
        func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
    }

    func localDevice(connected central: PeripheralID) {}
    func localDevice(disconnected central: PeripheralID, _ error: RadioError) {}
    func localDevice(read request: LocalReadRequest) { request.respond(.failure(.readNotPermitted)) }
    func localDevice(write request: LocalWriteRequest) {
        for part in request.parts { device?.setValue(part.value, of: part.attribute) }
        request.respond?(.success(()))
    }
    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind) {}
    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID) {}
    func localDeviceIsReadyToUpdate() {}
    func localDevice(advertisingEnded error: RadioError) {}
}
