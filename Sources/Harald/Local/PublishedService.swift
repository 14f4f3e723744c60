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
    /// It returns when the radio has taken every notification and every indication was confirmed, which slows a fast
    /// sender down; with no subscriber it returns at once.
    /// - Parameter centrals: only to these; nil for all.
    public func update(
        _ value: some Sequence<UInt8>, for centrals: [PeripheralID]? = nil
    ) async throws(BluetoothError) {
        let (bytes, attribute) = (Array(value), attribute)
        try await core.perform("update \(uuid)") { device, completion in
            device.update(bytes, of: attribute, for: centrals, completion: completion)
        }
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
