import BluetoothBackend
import BluetoothRuntime

/// A service of a local peripheral, as it was placed in the database.
public final class PublishedService: Sendable {
    /// The UUID.
    public let uuid: BluetoothUUID
    /// The attribute that declares the service.
    public let attribute: AttributeID
    /// The characteristics, in the order of the definition.
    public let characteristics: [PublishedCharacteristic]

    init(uuid: BluetoothUUID, attribute: AttributeID, characteristics: [PublishedCharacteristic]) {
        self.uuid = uuid
        self.attribute = attribute
        self.characteristics = characteristics
    }

    /// The first characteristic with this UUID.
    public subscript(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
        characteristics.first { $0.uuid == uuid }
    }
}

/// A characteristic of a local peripheral.
public final class PublishedCharacteristic: Sendable {
    private let core: LocalCore
    /// The UUID.
    public let uuid: BluetoothUUID
    /// The attribute that holds the value.
    public let attribute: AttributeID

    init(core: LocalCore, uuid: BluetoothUUID, attribute: AttributeID) {
        self.core = core
        self.uuid = uuid
        self.attribute = attribute
    }

    /// Sends a value to the subscribers, each by notification or indication as it subscribed, and stores it for reads.
    ///
    /// Each subscriber has a queue for 64 values. The call returns when the value is in all queues, which is at once
    /// unless a queue is full: then it waits for room, which slows a fast sender down to its slowest subscriber. The
    /// call does not wait for a stalled subscriber, which completed nothing for 1 s (two connection intervals if
    /// longer): its queue drops the oldest notification for a new one, and an indication that finds the queue full is
    /// lost. ``LocalPeripheral/droppedValues`` counts both.
    ///
    /// Pass one central, or use ``updateEach(_:for:)``, to learn whether a value arrived. Use
    /// ``updateWithoutWaiting(_:for:)`` where the caller must not wait.
    /// - Parameters:
    ///   - value: the bytes of the value.
    ///   - centrals: the centrals to send to; nil for all.
    /// - Throws: ``BluetoothError`` if the local peripheral was closed, or the task was cancelled while the call
    ///   waited: the value may be sent all the same.
    public func update(
        _ value: some Sequence<UInt8>, for centrals: [PeripheralID]? = nil
    ) async throws(BluetoothError) {
        let (bytes, attribute, core) = (Array(value), attribute, core)
        try await core.perform("update \(uuid)") { device, completion in
            core.senders.value.send(bytes, of: attribute, for: centrals, on: device, completion: completion)
        }
    }

    /// Sends a value to one central by notification or indication as it subscribed, and stores it for reads. Returns
    /// when the radio has taken the notification, or when the central has confirmed the indication; at once where the
    /// central has not subscribed.
    ///
    /// An indication that is not confirmed within 30 s ends the link (Core 6.0, Vol 3, Part F, 3.3.3).
    /// - Throws: ``BluetoothError`` if the link ended before that, the central's queue was full, the local peripheral
    ///   was closed, or the task was cancelled.
    public func update(_ value: some Sequence<UInt8>, for central: PeripheralID) async throws(BluetoothError) {
        let outcomes = try await updateEach(value, for: [central])
        try outcomes[central]?.get()
    }

    /// Sends a value to the subscribers, each by notification or indication as it subscribed, and stores it for reads.
    /// Returns the outcome for each subscriber, once the radio has taken every notification and every indication was
    /// confirmed or has failed. A slow subscriber delays the result, and the other subscribers only where its queue is
    /// full: the call waits for room as `update(_:for:)` does, in the order of the calls.
    ///
    /// An indication that is not confirmed within 30 s ends the link and fails (Core 6.0, Vol 3, Part F, 3.3.3).
    /// - Parameters:
    ///   - value: the bytes of the value.
    ///   - centrals: the centrals to send to; nil for all. Centrals that have not subscribed are not in the result.
    /// - Throws: ``BluetoothError`` if the local peripheral was closed or the task was cancelled.
    public func updateEach(
        _ value: some Sequence<UInt8>, for centrals: [PeripheralID]? = nil
    ) async throws(BluetoothError) -> [PeripheralID: Result<Void, BluetoothError>] {
        let (bytes, attribute, core) = (Array(value), attribute, core)
        let outcomes: [PeripheralID: Result<Void, RadioError>] = try await core.perform("update \(uuid)") {
            device, completion in
            core.senders.value.sendEach(bytes, of: attribute, for: centrals, on: device, completion: completion)
        }
        let uuid = uuid
        return Dictionary(
            uniqueKeysWithValues: outcomes.map { central, result in
                (central, result.mapError { BluetoothError($0, "update \(uuid) for central \(central)") })
            })
    }

    /// Sends a value to the subscribers, each by notification or indication as it subscribed, stores it for reads, and
    /// returns at once. A full queue drops its oldest notification, and an indication that finds it full is lost.
    /// ``LocalPeripheral/droppedValues`` counts both.
    ///
    /// Values are sent in the order of the calls of one task. Where 1,024 values are pending on the adapter's loop, a
    /// further one is dropped and counted.
    /// - Parameters:
    ///   - value: the bytes of the value.
    ///   - centrals: the centrals to send to; nil for all.
    public func updateWithoutWaiting(_ value: some Sequence<UInt8>, for centrals: [PeripheralID]? = nil) {
        core.post(Array(value), of: attribute, for: centrals)
    }

    /// Replaces the value for reads; subscribers are not notified.
    public func setValue(_ value: some Sequence<UInt8>) async {
        let (bytes, attribute, core) = (Array(value), attribute, core)
        await core.radio.loop.run { core.device.value?.setValue(bytes, of: attribute) }
    }

    /// The subscribed centrals.
    public var subscribers: [PeripheralID] {
        get async {
            let (attribute, core) = (attribute, core)
            return await core.radio.loop.run { core.device.value?.subscribers(of: attribute) ?? [] }
        }
    }
}
