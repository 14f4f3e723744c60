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
    public init(
        _ file: DeviceFile, on adapter: Adapter, pairing: (any PairingDelegate)? = nil, loop: RadioLoop = .shared,
        options: AdapterOptions = .init()
    ) async throws(BluetoothError) {
        self.file = file
        let peripheral = try await LocalPeripheral(
            adapter: adapter, name: file.name, appearance: file.appearance, address: file.address,
            pairing: pairing ?? DevicePairing(file), options: options)
        self.peripheral = peripheral
        let values = DeviceValues(file, clock: loop.clock)
        self.values = values
        let stage = DeviceStage(values: values, loop: loop)
        self.stage = stage
        let program = file.program?.make(stage)
        behaviour = DeviceBehaviour(file, values: values, peripheral: peripheral, loop: loop, program: program)
        do throws(BluetoothError) {
            try await Self.publish(file, on: peripheral, values: values, loop: loop, program: program)
            behaviour.start()
            try await peripheral.advertise(
                file.advertising.data(for: file), scanResponse: file.advertising.scanResponse,
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
        program: (any DeviceProgram)?
    ) async throws(BluetoothError) {
        var published: [PublishedService] = []
        for (index, service) in file.services.enumerated() {
            let definition = definition(
                of: service, at: index, on: peripheral, values: values, loop: loop, earlier: published, program: program
            )
            let placed = try await peripheral.publish(definition)
            for (number, characteristic) in placed.characteristics.enumerated() {
                values.publish(characteristic, at: .init(service: index, characteristic: number))
            }
            published.append(placed)
        }
    }

    private static func definition(
        of service: DeviceService, at index: Int, on peripheral: LocalPeripheral, values: DeviceValues,
        loop: RadioLoop, earlier: [PublishedService], program: (any DeviceProgram)?
    ) -> ServiceDefinition {
        var characteristics: [CharacteristicDefinition] = []
        for (number, characteristic) in service.characteristics.enumerated() {
            let place = DeviceValues.Place(service: index, characteristic: number)
            var definition = CharacteristicDefinition(
                characteristic.uuid, characteristic.properties, value: values.bytes(at: place),
                permissions: characteristic.permissions, description: characteristic.description,
                descriptors: characteristic.descriptors.map {
                    LocalDescriptor(uuid: $0.uuid, value: $0.value, permissions: $0.permissions, handle: $0.handle)
                }, handle: characteristic.handle)
            // What never changes is answered by the stack itself.
            if characteristic.value.fixedBytes == nil || characteristic.isWriteable || program != nil {
                let uuid = characteristic.uuid
                definition.onRead = { _ in try await program?.read(uuid) ?? values.bytes(at: place) }
            }
            if characteristic.isWriteable {
                let answers = service.characteristic(answering: characteristic)
                let responder = WriteResponder(
                    behaviour: characteristic.onWrite, place: place,
                    answers: answers.map { .init(service: index, characteristic: $0) }, values: values, loop: loop
                ) { [weak peripheral] central in try? await peripheral?.disconnect(central) }
                let uuid = characteristic.uuid
                definition.onWrite = { request in
                    if try await program?.write(request.value, to: uuid, by: request.central) == true { return }
                    try await responder.write(request)
                }
            }
            characteristics.append(definition)
        }
        let included = service.includes.compactMap { uuid in earlier.first { $0.uuid == uuid } }
        return ServiceDefinition(
            service.uuid, isPrimary: service.isPrimary, characteristics, included: included, handle: service.handle)
    }
}
