import BluetoothBackend
import BluetoothRuntime

/// A service that a local peripheral offers, as it was placed in its database.
public final class PublishedService: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// The attribute that declares it.
    public let attribute: AttributeID
    /// Its characteristics, in the order of the definition.
    public let characteristics: [PublishedCharacteristic]

    init(uuid: BluetoothUUID, attribute: AttributeID, characteristics: [PublishedCharacteristic]) {
        self.uuid = uuid
        self.attribute = attribute
        self.characteristics = characteristics
    }

    /// Its first characteristic with this UUID.
    public subscript(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
        characteristics.first { $0.uuid == uuid }
    }
}

/// A characteristic that a local peripheral offers.
public final class PublishedCharacteristic: Sendable {
    private let core: LocalCore
    /// What it is.
    public let uuid: BluetoothUUID
    /// The attribute that holds its value.
    public let attribute: AttributeID

    init(core: LocalCore, uuid: BluetoothUUID, attribute: AttributeID) {
        self.core = core
        self.uuid = uuid
        self.attribute = attribute
    }

    /// Sends a value to those who subscribed, each as it subscribed, and keeps it for readers.
    ///
    /// Each subscriber has a queue of its own for 64 values. This returns when the value is in the queue of each, which is
    /// at once unless a queue is full: then it waits for room, which slows a fast sender down to its slowest subscriber. A
    /// stalled subscriber, one that completed nothing for 1 s (two connection intervals if longer), is not waited for: its
    /// queue drops the oldest notification for a new one, and an indication that finds the queue full is lost.
    /// ``LocalPeripheral/droppedValues`` counts both.
    ///
    /// Give one central, or use ``updateEach(_:for:)``, to learn whether a value arrived. Use
    /// ``updateWithoutWaiting(_:for:)`` where nothing may be waited for.
    /// - Parameter centrals: only to these; nil for all.
    /// - Throws: ``BluetoothError`` where the local peripheral was closed, or the task was cancelled while it waited: the value
    ///   may be sent all the same.
    public func update(
        _ value: some Sequence<UInt8>, for centrals: [PeripheralID]? = nil
    ) async throws(BluetoothError) {
        let (bytes, attribute, core) = (Array(value), attribute, core)
        try await core.perform("update \(uuid)") { device, completion in
            core.senders.value.send(bytes, of: attribute, for: centrals, on: device, completion: completion)
        }
    }

    /// Sends a value to one central as it subscribed, and keeps it for readers. Returns when the radio has taken the
    /// notification, or when the central has confirmed the indication; at once where it has not subscribed.
    ///
    /// An indication that is not confirmed within 30 s ends the link (Core 6.0, Vol 3, Part F, 3.3.3).
    /// - Throws: ``BluetoothError`` where the link ended before, or the queue of the central was full.
    public func update(_ value: some Sequence<UInt8>, for central: PeripheralID) async throws(BluetoothError) {
        let outcomes = try await updateEach(value, for: [central])
        try outcomes[central]?.get()
    }

    /// Sends a value to those who subscribed, each as it subscribed, and keeps it for readers. Returns the outcome of each
    /// subscriber, once the radio has taken every notification and every indication was confirmed or has failed. One
    /// subscriber delays the result, and no other subscriber.
    ///
    /// An indication that is not confirmed within 30 s ends the link and fails (Core 6.0, Vol 3, Part F, 3.3.3).
    /// - Parameter centrals: only to these; nil for all. Those who have not subscribed are not in the result.
    /// - Throws: ``BluetoothError`` where the local peripheral was closed or the task was cancelled.
    public func updateEach(
        _ value: some Sequence<UInt8>, for centrals: [PeripheralID]? = nil
    ) async throws(BluetoothError) -> [PeripheralID: Result<Void, BluetoothError>] {
        let (bytes, attribute) = (Array(value), attribute)
        let outcomes: [PeripheralID: Result<Void, RadioError>] = try await core.perform("update \(uuid)") {
            device, completion in
            device.updateEach(bytes, of: attribute, for: centrals) { completion(.success($0)) }
        }
        let uuid = uuid
        return Dictionary(
            uniqueKeysWithValues: outcomes.map { central, result in
                (central, result.mapError { BluetoothError($0, "update \(uuid) for central \(central)") })
            })
    }

    /// Sends a value to those who subscribed, each as it subscribed, keeps it for readers, and waits for nobody: a full
    /// queue drops its oldest notification, and an indication that finds it full is lost.
    /// ``LocalPeripheral/droppedValues`` counts both.
    ///
    /// Values go out in the order of the calls of one task. More than 1,024 values that the adapter has not looked at yet
    /// do not wait: the value is dropped and counted.
    /// - Parameter centrals: only to these; nil for all.
    public func updateWithoutWaiting(_ value: some Sequence<UInt8>, for centrals: [PeripheralID]? = nil) {
        core.post(Array(value), of: attribute, for: centrals)
    }

    /// Replaces the value that readers get; nobody is told.
    public func setValue(_ value: some Sequence<UInt8>) async {
        let (bytes, attribute, core) = (Array(value), attribute, core)
        await core.radio.loop.run { core.device.value?.setValue(bytes, of: attribute) }
    }

    /// Who has subscribed.
    public var subscribers: [PeripheralID] {
        get async {
            let (attribute, core) = (attribute, core)
            return await core.radio.loop.run { core.device.value?.subscribers(of: attribute) ?? [] }
        }
    }
}
