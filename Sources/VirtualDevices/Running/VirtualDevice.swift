import Adapters
import BluetoothRuntime
import Harald
import Synchronization

/// A running device file, on a virtual radio or in the peripheral role on a real adapter.
///
///     let strap = try await VirtualDevice(DeviceFile(path: "strap.yaml"), on: "hci:0")
///
/// It advertises until ``close()`` or until the last reference to it is released.
public final class VirtualDevice: Sendable {
    /// The device file.
    public let file: DeviceFile
    /// The local peripheral.
    public let peripheral: LocalPeripheral
    /// True if the device has a fixed passkey.
    public let hasFixedPasskey: Bool
    let values: DeviceValues
    private let behaviour: DeviceBehaviour
    private let stage: DeviceStage
    private let channels = ChannelResponder()
    /// Ends the advertising after its duration.
    private let advertisingEnd = Mutex<Task<Void, Never>?>(nil)
    /// The loop of the adapter, which also runs the behaviour of the device.
    private let loop: RadioLoop

    /// Starts a device.
    /// - Parameters:
    ///   - file: the device file.
    ///   - adapter: the adapter to run on.
    ///   - pairing: answers pairing questions; nil for the behaviour of the file: its fixed passkey, or Just Works if
    ///     it has none.
    ///   - options: the options of the adapter, such as storage and a capture file.
    ///   - observesReads: true to also answer reads of constant values in the device's code rather than in the host
    ///     stack, so that they can be observed.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the advertising data does not fit, or the error
    ///   of opening the adapter, publishing the services or advertising.
    public init(
        _ file: DeviceFile, on adapter: Adapter, pairing: (any PairingDelegate)? = nil,
        options: AdapterOptions = .init(), observesReads: Bool = false
    ) async throws(BluetoothError) {
        self.file = file
        let file = file.completed
        let user: any PairingDelegate = pairing ?? DevicePairing(file)
        hasFixedPasskey = user.passkey != nil
        let peripheral = try await LocalPeripheral(
            adapter: adapter, name: file.name, appearance: file.appearance, address: file.address, pairing: user,
            options: options)
        self.peripheral = peripheral
        let loop = peripheral.loop
        self.loop = loop
        let values = DeviceValues(file, clock: loop.clock)
        self.values = values
        let stage = DeviceStage(values: values, loop: loop)
        self.stage = stage
        let program = file.program?.make(stage)
        behaviour = DeviceBehaviour(file, values: values, peripheral: peripheral, loop: loop, program: program)
        do throws(BluetoothError) {
            try await Self.publish(
                file, on: peripheral, values: values, loop: loop, program: program, observesReads: observesReads)
            behaviour.start()
            try await channels.start(file.channels, on: peripheral, loop: loop)
            try await advertise()
        } catch {
            stop()
            await peripheral.close()
            throw error
        }
    }

    deinit { stop() }

    private func stop() {
        behaviour.stop()
        channels.stop()
        stage.end()
        values.end()
        advertisingEnd.withLock { $0 }?.cancel()
    }

    /// Begins to advertise; also after the advertising ended with the adapter's state.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the advertising data does not fit, or the error
    ///   of advertising.
    package func advertise() async throws(BluetoothError) {
        let file = file.completed
        try await peripheral.advertise(
            try Self.advertisement(of: file), scanResponse: file.advertising.scanResponse,
            interval: file.advertising.interval, connectable: file.advertising.isConnectable)
        guard let duration = file.advertising.duration else { return }
        let clock = AdapterClock(loop: loop)
        let end = clock.now + duration
        let task = Task(executorPreference: loop) { [weak device = peripheral] in
            guard (try? await clock.sleep(until: end)) != nil else { return }
            await device?.stopAdvertising()
        }
        advertisingEnd.withLock { exchange(&$0, with: task) }?.cancel()
    }

    /// Returns the UUIDs of the service and the characteristic with this value attribute; nil if unknown.
    package func path(of attribute: AttributeID) -> (service: BluetoothUUID, characteristic: BluetoothUUID)? {
        guard let place = values.place(of: attribute) else { return nil }
        let service = file.services[place.service]
        return (service.uuid, service.characteristics[place.characteristic].uuid)
    }

    /// Stops advertising and ends all links.
    public func close() async {
        stop()
        await peripheral.close()
    }

    // MARK: The database

    private static func publish(
        _ file: DeviceFile, on peripheral: LocalPeripheral, values: DeviceValues, loop: RadioLoop,
        program: (any DeviceProgram)?, observesReads: Bool
    ) async throws(BluetoothError) {
        let definitions = file.definitions { place, definition in
            let service = file.services[place.service]
            let characteristic = service.characteristics[place.characteristic]
            definition.value = values.bytes(at: place)
            // The host stack answers reads of constant values.
            if observesReads || characteristic.value.fixedBytes == nil || characteristic.isWriteable || program != nil {
                let uuid = characteristic.uuid
                definition.onRead = { _ in
                    try values.checkRefusal(at: place)
                    if let override = values.override(at: place) { return override }
                    return try await program?.read(uuid) ?? values.bytes(at: place)
                }
            }
            if characteristic.isWriteable {
                let answers = service.characteristic(answering: characteristic)
                let responder = WriteResponder(
                    behaviour: characteristic.onWrite, place: place,
                    answers: answers.map { .init(service: place.service, characteristic: $0) }, values: values,
                    loop: loop
                ) { [weak peripheral] central in try? await peripheral?.disconnect(central) }
                let uuid = characteristic.uuid
                definition.onWrite = { request in
                    try values.checkRefusal(at: place)
                    if try await program?.write(request.value, to: uuid, by: request.central) == true { return }
                    try await responder.write(request)
                }
            }
        }
        let placed = try await peripheral.publish(definitions, addsGenericServices: file.addsGenericServices)
        for (index, service) in placed.enumerated() {
            for (number, characteristic) in service.characteristics.enumerated() {
                values.publish(characteristic, at: .init(service: index, characteristic: number))
            }
        }
    }

    private static func advertisement(of file: DeviceFile) throws(BluetoothError) -> AdvertisingData {
        do throws(AdvertisingDataError) { return try file.advertising.data(for: file) } catch {
            throw BluetoothError(
                .invalidArgument, operation: "advertise '\(file.name)'",
                reason: "the advertisement is too long: \(error)")
        }
    }
}
