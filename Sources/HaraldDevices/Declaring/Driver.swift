import BluetoothProfiles
import Harald

/// A connected device by the names of its declaration, which the compiler checks.
///
///     let room = try await Driver<RoomSensor>(peripheral)
///     let temperature = try await room.environment.temperature.read()
@dynamicMemberLookup
public struct Driver<Device: DeviceDeclaration>: Sendable {
    /// The device.
    public let peripheral: Peripheral
    let declaration: Device

    /// Connects where that is needed, pairs where the declaration asks for it, and discovers what is declared and nothing
    /// else.
    /// - Throws: ``BluetoothError`` with the code `notFound` that names what is declared as required and missing, or what
    ///   pairing ended with.
    public init(
        _ peripheral: Peripheral, as type: Device.Type = Device.self, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) {
        self.peripheral = peripheral
        declaration = Device()
        if !peripheral.isConnected { try await peripheral.connect(timeout: timeout) }
        peripheral.names = Device.names
        if peripheral.security.level < Device.security { try await peripheral.pair(to: Device.security) }
        try await discover(timeout: timeout)
    }

    /// A service by its name in the declaration.
    public subscript<Service: ServiceDeclaration>(
        dynamicMember path: KeyPath<Device, Service>
    ) -> DriverService<Service> {
        DriverService(peripheral: peripheral, declaration: declaration[keyPath: path])
    }

    private func discover(timeout: Duration?) async throws(BluetoothError) {
        let declared = DeclaredService.all(of: declaration)
        let services = try await peripheral.discoverServices(declared.map(\.service.uuid), timeout: timeout)
        for entry in declared {
            guard let service = services.first(where: { $0.uuid == entry.service.uuid }) else {
                if entry.service.isRequired { throw missing("service \(entry.name) (\(entry.service.uuid))") }
                continue
            }
            let found = try await service.discoverCharacteristics(
                entry.attributes.map(\.attribute.uuid), timeout: timeout)
            for (name, attribute) in entry.attributes where attribute.isRequired {
                guard found.contains(where: { $0.uuid == attribute.uuid }) else {
                    throw missing("characteristic \(entry.name).\(name) (\(attribute.uuid))")
                }
            }
        }
    }

    private func missing(_ what: String) -> BluetoothError {
        BluetoothError(
            .notFound, operation: "use \(peripheral) as \(Device.self)", reason: "it has no \(what)",
            advice: "is it a device of this kind?")
    }
}

/// A service of a connected device.
@dynamicMemberLookup
public struct DriverService<Declaration: ServiceDeclaration>: Sendable {
    /// The device.
    public let peripheral: Peripheral
    let declaration: Declaration

    /// The service; nil where the device does not have it.
    public var service: Service? { peripheral.services.first { $0.uuid == declaration.uuid } }
    /// Whether the device has it.
    public var isPresent: Bool { service != nil }

    /// A characteristic by its name in the declaration.
    public subscript<Value: GATTValue>(
        dynamicMember path: KeyPath<Declaration, Attribute<Value>>
    ) -> DriverAttribute<Value> {
        DriverAttribute(peripheral: peripheral, service: declaration.uuid, uuid: declaration[keyPath: path].uuid)
    }

    /// Writes what turns it on.
    public func turnOn() async throws(BluetoothError) { try await write(declaration.turningOn) }
    /// Writes what lets it rest.
    public func turnOff() async throws(BluetoothError) { try await write(declaration.turningOff) }

    /// Writes settings in their order.
    public func write(_ settings: [Setting]) async throws(BluetoothError) {
        for setting in settings {
            let attribute = DriverAttribute<SerialBytes>(
                peripheral: peripheral, service: declaration.uuid, uuid: setting.attribute)
            try await attribute.characteristic().write(setting.value)
        }
    }

    /// What its characteristics send, in the order in which it came.
    func notifications(buffering policy: BufferingPolicy = .newest(65536)) async throws(BluetoothError)
        -> BluetoothStream<Notification>
    {
        guard let service else {
            throw BluetoothError(
                .notFound, operation: "subscribe to service \(declaration.uuid) of \(peripheral)",
                reason: "the device does not have it")
        }
        return try await service.notifications(buffering: policy)
    }
}

/// A characteristic of a connected device, with the type of its value.
public struct DriverAttribute<Value: GATTValue>: Sendable {
    /// The device.
    public let peripheral: Peripheral
    let service: BluetoothUUID
    let uuid: BluetoothUUID

    /// Whether the device has it.
    public var isPresent: Bool { (try? characteristic()) != nil }

    /// The characteristic.
    public func characteristic() throws(BluetoothError) -> Characteristic {
        let found = peripheral.services.first { $0.uuid == service }?.characteristics.first { $0.uuid == uuid }
        guard let found else {
            throw BluetoothError(
                .notFound, operation: "find characteristic \(uuid) of service \(service) of \(peripheral)",
                reason: peripheral.isConnected ? "the device does not have it" : "there is no connection")
        }
        return found
    }

    /// Reads the value.
    public func read(timeout: Duration? = .seconds(10)) async throws(BluetoothError) -> Value {
        try await characteristic().read(as: Value.self, timeout: timeout)
    }

    /// Writes a value.
    public func write(_ value: Value, timeout: Duration? = .seconds(10)) async throws(BluetoothError) {
        try await characteristic().write(value, timeout: timeout)
    }

    /// The values that the device sends by itself.
    public func values(buffering policy: BufferingPolicy = .newest(256)) throws(BluetoothError) -> ValueStream<Value> {
        try characteristic().notifications(as: Value.self, buffering: policy)
    }
}

extension Central {
    /// The first device of a kind that is heard.
    /// - Parameters:
    ///   - where: a further condition.
    ///   - duration: when to give up; nil for never.
    /// - Throws: ``BluetoothError`` with the code `notFound` where none is heard in time.
    public func find<Device: DeviceDeclaration>(
        _ device: Device.Type, within duration: Duration? = .seconds(10),
        where condition: (@Sendable (Discovery) -> Bool)? = nil
    ) async throws(BluetoothError) -> Peripheral {
        let filter = ScanFilter(condition: { Device.matches($0) && $0.isConnectable && condition?($0) ?? true })
        for try await found in scan(filter: filter, duration: duration) { return found.peripheral }
        if Task.isCancelled { throw .cancelled }
        throw BluetoothError(
            .notFound, operation: "find a \(Device.self)", reason: "none was heard",
            advice: "is it switched on, in range, and not connected to something else?")
    }
}

extension Peripheral {
    /// Connects, discovers what is declared, runs `body` and disconnects, also when `body` throws or its task is
    /// cancelled.
    public func withDriver<Device: DeviceDeclaration, Result: Sendable>(
        for device: Device.Type, timeout: Duration? = .seconds(10), _ body: (Driver<Device>) async throws -> Result
    ) async throws -> Result {
        try await withConnection(timeout: timeout) { try await body(Driver(self, as: device)) }
    }
}
