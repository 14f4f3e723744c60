import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The server of a measurement, on the internal backend API: callbacks without tasks.
final class SeamServer: LocalDeviceDelegate {
    private let backend: any RadioBackend
    private var device: (any LocalDevice)?
    private var attributes: [AttributeID] = []
    private var channels: [any BackendChannel] = []
    private var mark = Usage.now
    private var statistics = Statistics()
    private var remaining = 0
    private var payload: [UInt8] = []
    private let quit: () -> Void

    init(backend: any RadioBackend, quit: @escaping () -> Void) {
        self.backend = backend
        self.quit = quit
    }

    func start(ready: @escaping (Result<[UInt32], RadioError>) -> Void) {
        do throws(RadioError) {
            let device = try backend.makeLocalDevice(LocalDeviceConfiguration(name: "bench"), delegate: self)
            self.device = device
            let placed = try device.add(BenchService.service)
            attributes = placed.characteristics.map(\.value)
            device.publishChannel(
                psm: BenchService.psm, requiresEncryption: false, accepted: { [self] in accept($0) },
                completion: { if case .failure(let error) = $0 { ready(.failure(error)) } })
            let request = AdvertisingRequest(data: AdvertisingData(localName: "bench"), interval: .milliseconds(100))
            device.startAdvertising(request) { result in
                ready(result.map { placed.characteristics.map(\.value.rawValue) })
            }
        } catch {
            ready(.failure(error))
        }
    }

    private func attribute(_ index: Int) -> AttributeID? { index < attributes.count ? attributes[index] : nil }

    /// Counts the messages of a channel like values of the sink.
    private func accept(_ channel: any BackendChannel) {
        channels.append(channel)
        channel.attach(
            receive: { [self] message in
                statistics.sinkCount += 1
                statistics.sinkBytes += UInt64(message.count)
                channel.consumed()
            }, closed: { _ in })
    }

    func localDevice(read request: LocalReadRequest) {
        var current = statistics
        current.usage = Usage.now - mark
        request.respond(.success(Array(current.encoded.dropFirst(request.offset))))
    }

    func localDevice(write request: LocalWriteRequest) {
        guard let part = request.parts.first else { return }
        if part.attribute == attribute(2) {
            statistics.sinkCount += 1
            statistics.sinkBytes += UInt64(part.value.count)
            return
        }
        request.respond?(.success(()))
        part.value.withByteView { control($0) }
    }

    private func control(_ view: ByteView) {
        var reader = ByteReader(view)
        guard let operation = reader.uint8().flatMap(BenchService.Operation.init(rawValue:)),
            let size = reader.uint16(), let count = reader.uint32()
        else { return }
        switch operation {
        case .mark:
            mark = Usage.now
            statistics = Statistics()
        case .notify:
            payload = [UInt8](repeating: 0xAA, count: Int(size))
            remaining = Int(count)
            backend.loop.executeNext { self.pump() }
        case .quit:
            quit()
        }
    }

    /// Sends while the radio accepts data; continues when the radio is ready again.
    private func pump() {
        guard let device, let notifying = attribute(1) else { return }
        while remaining > 0, device.canUpdate {
            remaining -= 1
            device.update(payload, of: notifying, for: nil) { _ in }
        }
    }

    func localDeviceIsReadyToUpdate() { pump() }
    func localDevice(connected central: PeripheralID) {}
    func localDevice(disconnected central: PeripheralID, _ error: RadioError) { quit() }
    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind) {}
    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID) {}
    func localDevice(advertisingEnded error: RadioError) {}
}
