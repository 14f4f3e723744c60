import BluetoothModel
import BluetoothRuntime

/// The configuration of a local device.
package struct LocalDeviceConfiguration: Hashable, Sendable {
    /// The GAP name (characteristic 2A00).
    package var name: String
    /// The GAP appearance (characteristic 2A01).
    package var appearance: Appearance
    /// The address used in advertising and on links.
    package var address: OwnAddress
    /// Minimum security level, requested as soon as a central connects; centrals that do not reach it are disconnected.
    package var requiredSecurity: LinkSecurity.Level

    /// Creates a configuration.
    package init(
        name: String, appearance: Appearance = Appearance(rawValue: 0), address: OwnAddress = .automatic,
        requiredSecurity: LinkSecurity.Level = .none
    ) {
        self.name = name
        self.appearance = appearance
        self.address = address
        self.requiredSecurity = requiredSecurity
    }
}

/// The parameters of advertising a local device.
package struct AdvertisingRequest: Hashable, Sendable {
    /// The advertising data. Structures that do not fit are moved to the scan response.
    package var data: AdvertisingData
    /// The scan response data; nil to fill it as needed.
    package var scanResponse: AdvertisingData?
    /// The advertising interval, 20 ms to 10.24 s.
    package var interval: Duration
    /// True to accept connections.
    package var isConnectable: Bool

    /// Creates a request.
    package init(
        data: AdvertisingData, scanResponse: AdvertisingData? = nil, interval: Duration = .milliseconds(100),
        isConnectable: Bool = true
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
        self.isConnectable = isConnectable
    }
}

/// A local device: an identity, a GATT database and, while it advertises, an advertising set. Confined to the loop.
package protocol LocalDevice: AnyObject {
    /// The address used in advertising, if the platform shows it and it is known.
    var address: BluetoothAddress? { get }
    /// Returns the security of the link to a central; nil if it is not connected.
    func security(of central: PeripheralID) -> LinkSecurity?
    /// Adds a service; connected clients that subscribed to Service Changed are notified.
    /// - Throws: ``RadioError`` if the service cannot be placed, or the platform does not support it.
    func add(_ service: LocalService) throws(RadioError) -> PlacedService
    /// Replaces the whole database. The services may include each other in any order. A service 1800 or 1801 among them
    /// takes the place of the device's own; with `addsGenericServices` the missing ones of these two are added.
    /// - Returns: the attributes of `services`, in their order.
    /// - Throws: ``LocalPlacementError`` about the first service that cannot be placed, or that the platform reserves
    ///   for itself.
    func replaceDatabase(
        _ services: [LocalService], addsGenericServices: Bool
    ) throws(LocalPlacementError) -> [PlacedService]
    /// Removes a service; connected clients that subscribed to Service Changed are notified.
    func remove(_ service: AttributeID)
    /// Replaces the GAP name, where the device has one of its own.
    func setName(_ name: String)
    /// Replaces a value that the server stores; subscribers are not notified.
    func setValue(_ value: [UInt8], of attribute: AttributeID)

    /// Starts advertising, which continues after a connection ended; completes when advertising is enabled.
    func startAdvertising(_ request: AdvertisingRequest, completion: @escaping (Result<Void, RadioError>) -> Void)
    /// Stops advertising; links stay.
    func stopAdvertising(completion: @escaping () -> Void)

    /// The connected centrals.
    var centrals: [PeripheralID] { get }
    /// Returns the centrals that subscribed to a characteristic.
    func subscribers(of characteristic: AttributeID) -> [PeripheralID]
    /// Returns the maximum length of one notification to `central`, in bytes.
    func maximumUpdateLength(for central: PeripheralID) -> Int
    /// Sends a value to the subscribers, or to those in `centrals`, as notifications or indications according to each
    /// subscription. Completes after the radio has taken every notification and every indication was confirmed. Each
    /// subscriber has its own queue: if it is full, the oldest notification is dropped, and an indication fails.
    func update(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    )
    /// Sends a value as `update` does, and completes with the outcome for each subscriber, after the last of them.
    func updateEach(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping ([PeripheralID: Result<Void, RadioError>]) -> Void
    )
    /// True if an update would be sent at once to every subscriber that is not stalled;
    /// ``LocalDeviceDelegate/localDeviceIsReadyToUpdate()`` reports when it is true again.
    var canUpdate: Bool { get }
    /// Returns the number of updates that fit into the queues of all live subscribers. If it is less than `wanted`,
    /// ``LocalDeviceDelegate/localDeviceIsReadyToUpdate()`` is called when there is room again. A subscriber that
    /// completes nothing for 1 s, or two connection intervals if longer, is stalled and does not count. With
    /// `waitsForStalled` the stalled subscribers count if there are no live ones.
    func updateRoom(
        of characteristic: AttributeID, for centrals: [PeripheralID]?, wanted: Int, waitsForStalled: Bool
    ) -> Int
    /// The number of values that subscribers missed because their queues were full.
    var droppedValues: Int { get }

    /// Ends the link to a central.
    /// - Throws: `RadioError.unsupported` if the platform does not let a peripheral disconnect, `notConnected` if the
    ///   central is not connected.
    func disconnect(_ central: PeripheralID) throws(RadioError)
    /// Requests connection parameters from the central; completes with those that are in use afterwards.
    func updateParameters(
        _ request: ConnectionParametersRequest, of central: PeripheralID,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    )
    /// Accepts L2CAP channels on a PSM (protocol/service multiplexer), nil for the next free one; completes with the
    /// PSM.
    func publishChannel(
        psm: UInt16?, requiresEncryption: Bool, accepted: @escaping (any BackendChannel) -> Void,
        completion: @escaping (Result<UInt16, RadioError>) -> Void
    )
    /// Stops accepting channels on a PSM.
    func unpublishChannel(psm: UInt16)
    /// Stops advertising, ends the links and releases the identity.
    func close(completion: @escaping () -> Void)
}

extension LocalDevice {
    /// Default: does nothing, because the name is that of the platform.
    package func setName(_ name: String) {}

    /// Default: sends to each subscriber, without waiting between them.
    package func updateEach(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping ([PeripheralID: Result<Void, RadioError>]) -> Void
    ) {
        let subscribers = subscribers(of: characteristic)
        let receivers = centrals.map { $0.filter(subscribers.contains) } ?? subscribers
        guard !receivers.isEmpty else {
            // Without subscribers, the value is still stored for reads.
            return update(value, of: characteristic, for: []) { _ in completion([:]) }
        }
        var outcomes: [PeripheralID: Result<Void, RadioError>] = [:]
        var left = receivers.count
        for central in receivers {
            update(value, of: characteristic, for: [central]) { result in
                outcomes[central] = result
                left -= 1
                if left == 0 { completion(outcomes) }
            }
        }
    }

    /// Default: no limit, because the platform queues updates itself.
    package func updateRoom(
        of characteristic: AttributeID, for centrals: [PeripheralID]?, wanted: Int, waitsForStalled: Bool
    ) -> Int { .max }
}
