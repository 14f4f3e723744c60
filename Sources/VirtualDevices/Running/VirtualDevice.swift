import BluetoothRuntime
import Harald
import HostBackend
import Synchronization

/// A device file that runs: on a virtual radio, or in the peripheral role on a real adapter.
///
///     let strap = try await VirtualDevice(DeviceFile(path: "strap.yaml"), on: "hci:0")
///
/// It is on the air until ``close()``, or until nobody holds it any longer.
public final class VirtualDevice: Sendable {
    /// What it was made from.
    public let file: DeviceFile
    /// The device on its adapter.
    public let peripheral: LocalPeripheral
    /// Whether it has a passkey that is the same in each pairing.
    public let hasFixedPasskey: Bool
    private let values: DeviceValues
    private let behaviour: DeviceBehaviour
    private let stage: DeviceStage

    /// Puts a device on the air.
    /// - Parameters:
    ///   - file: the device.
    ///   - adapter: where it lives.
    ///   - pairing: who answers for its user; nil for what the file says: it shows its passkey, or pairs with whoever
    ///     wants to where there is nothing to compare.
    ///   - loop: whose clock its behaviour runs on; that of the virtual radio where it lives on one.
    ///   - options: where things are stored, and a capture file.
    ///   - observesReads: whether reads of values that never change are answered by the device's code too, and not by
    ///     the stack itself, so that they can be seen.
    public init(
        _ file: DeviceFile, on adapter: Adapter, pairing: (any PairingDelegate)? = nil, loop: RadioLoop = .shared,
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
            try await peripheral.advertise(
                try Self.advertisement(of: file), scanResponse: file.advertising.scanResponse,
                interval: file.advertising.interval, connectable: file.advertising.isConnectable)
        } catch {
            behaviour.stop()
            stage.end()
            values.end()
            await peripheral.close()
            throw error
        }
    }

    deinit {
        behaviour.stop()
        stage.end()
        values.end()
    }

    /// The UUIDs of the service and of the characteristic with this value attribute; nil for an unknown one.
    package func path(of attribute: AttributeID) -> (service: BluetoothUUID, characteristic: BluetoothUUID)? {
        guard let place = values.place(of: attribute) else { return nil }
        let service = file.services[place.service]
        return (service.uuid, service.characteristics[place.characteristic].uuid)
    }

    /// Takes the device off the air and ends its links.
    public func close() async {
        behaviour.stop()
        stage.end()
        values.end()
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
            // What never changes is answered by the stack itself.
            if observesReads || characteristic.value.fixedBytes == nil || characteristic.isWriteable || program != nil {
                let uuid = characteristic.uuid
                definition.onRead = { _ in try await program?.read(uuid) ?? values.bytes(at: place) }
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
