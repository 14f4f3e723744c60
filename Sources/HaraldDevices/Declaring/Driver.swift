import BluetoothProfiles
import Harald

/// A connected device with typed access to the attributes of its declaration, checked at compile time.
///
///     let room = try await Driver<RoomSensor>(peripheral)
///     let temperature = try await room.environment.temperature.read()
@dynamicMemberLookup
public struct Driver<Device: DeviceDeclaration>: Sendable {
    /// The connected peripheral.
    public let peripheral: Peripheral
    let declaration: Device

    /// Connects if there is no link, pairs if the declaration requires it, and discovers the declared attributes and no
    /// others.
    /// - Throws: ``BluetoothError`` with the code `notFound` that names the required attribute that is missing, or the
    ///   error of connecting, pairing or discovery.
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

    /// Returns a service by its name in the declaration.
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
    /// The connected peripheral.
    public let peripheral: Peripheral
    let declaration: Declaration

    /// The discovered service; nil if the device does not have it.
    public var service: Service? { peripheral.services.first { $0.uuid == declaration.uuid } }
    /// True if the device has the service.
    public var isPresent: Bool { service != nil }

    /// Returns a characteristic by its name in the declaration.
    public subscript<Value: GATTValue>(
        dynamicMember path: KeyPath<Declaration, Attribute<Value>>
    ) -> DriverAttribute<Value> {
        DriverAttribute(peripheral: peripheral, service: declaration.uuid, uuid: declaration[keyPath: path].uuid)
    }

    /// Performs the writes that activate the service.
    /// - Throws: ``BluetoothError`` as ``write(_:)`` does.
    public func turnOn() async throws(BluetoothError) { try await write(declaration.turningOn) }
    /// Performs the writes that deactivate the service.
    /// - Throws: ``BluetoothError`` as ``write(_:)`` does.
    public func turnOff() async throws(BluetoothError) { try await write(declaration.turningOff) }

    /// Performs the writes in order. Stops at the first error.
    /// - Throws: ``BluetoothError`` with the code `notFound` for a characteristic that was not discovered,
    ///   `unsupported` for one that is not writable, `invalidArgument` for a value that cannot be encoded or is too
    ///   long, or the error of the write.
    public func write(_ writes: [CharacteristicWrite]) async throws(BluetoothError) {
        for item in writes {
            let attribute = DriverAttribute<SerialBytes>(
                peripheral: peripheral, service: declaration.uuid, uuid: item.attribute)
            try await attribute.characteristic().write(item.value)
        }
    }

    /// Subscribes to all characteristics of the service. Values arrive in the order in which the device sent them.
    func notifications(buffering policy: BufferingPolicy = .newest(65536)) async throws(BluetoothError)
        -> BluetoothStream<CharacteristicUpdate>
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
    /// The connected peripheral.
    public let peripheral: Peripheral
    let service: BluetoothUUID
    let uuid: BluetoothUUID

    /// True if the device has the characteristic.
    public var isPresent: Bool { (try? characteristic()) != nil }

    /// Returns the discovered characteristic.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device does not have it or there is no connection.
    public func characteristic() throws(BluetoothError) -> Characteristic {
        let found = peripheral.services.first { $0.uuid == service }?.characteristics.first { $0.uuid == uuid }
        guard let found else {
            throw BluetoothError(
                .notFound, operation: "find characteristic \(uuid) of service \(service) of \(peripheral)",
                reason: peripheral.isConnected ? "the device does not have it" : "there is no connection")
        }
        return found
    }

    /// Reads and decodes the value.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device does not have the characteristic,
    ///   `invalidResponse` if the bytes do not decode, or the error of the read.
    public func read(timeout: Duration? = .seconds(10)) async throws(BluetoothError) -> Value {
        try await characteristic().read(as: Value.self, timeout: timeout)
    }

    /// Encodes and writes a value.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device does not have the characteristic,
    ///   `unsupported` if it is not writable, `invalidArgument` for a value that cannot be encoded or is too long, or
    ///   the error of the write.
    public func write(_ value: Value, timeout: Duration? = .seconds(10)) async throws(BluetoothError) {
        try await characteristic().write(value, timeout: timeout)
    }

    /// Returns a stream of the notified and indicated values.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device does not have the characteristic.
    public func values(buffering policy: BufferingPolicy = .newest(256)) throws(BluetoothError) -> ValueStream<Value> {
        try characteristic().notifications(as: Value.self, buffering: policy)
    }
}

extension Central {
    /// Scans and returns the first connectable device of a kind.
    /// - Parameters:
    ///   - where: an additional condition.
    ///   - duration: the duration of the scan; nil for no limit.
    /// - Throws: ``BluetoothError`` with the code `notFound` if none was discovered in time, `cancelled` if the task
    ///   was cancelled, or the error that ended the scan.
    public func find<Device: DeviceDeclaration>(
        _ device: Device.Type, within duration: Duration? = .seconds(10),
        where condition: (@Sendable (ScanResult) -> Bool)? = nil
    ) async throws(BluetoothError) -> Peripheral {
        let filter = ScanFilter(condition: { Device.matches($0) && $0.isConnectable && condition?($0) ?? true })
        for try await found in scan(filter: filter, duration: duration) { return found.peripheral }
        if Task.isCancelled { throw .cancelled }
        throw BluetoothError(
            .notFound, operation: "find a \(Device.self)", reason: "no such device was found",
            advice: "is it switched on, in range, and not connected elsewhere?")
    }
}

extension Peripheral {
    /// Connects, discovers the declared attributes, runs `body` and disconnects, also if `body` throws or its task is
    /// cancelled.
    /// - Throws: ``BluetoothError`` of connecting or of ``Driver/init(_:as:timeout:)``, or the error of `body`.
    public func withDriver<Device: DeviceDeclaration, Result: Sendable>(
        for device: Device.Type, timeout: Duration? = .seconds(10), _ body: (Driver<Device>) async throws -> Result
    ) async throws -> Result {
        try await withConnection(timeout: timeout) { try await body(Driver(self, as: device)) }
    }
}
