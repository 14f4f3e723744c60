import BluetoothModel
import BluetoothRuntime

/// The address that a device of our own uses on the air.
public enum OwnAddress: Hashable, Sendable {
    /// What suits the adapter: the public address for the first device, random static ones for the others.
    case automatic
    /// The adapter's public address.
    case `public`
    /// A random static address of the caller's.
    case randomStatic(BluetoothAddress)
}

/// What a device of our own is.
public struct LocalDeviceConfiguration: Hashable, Sendable {
    /// The GAP name (characteristic 2A00).
    public var name: String
    /// The GAP appearance (characteristic 2A01).
    public var appearance: Appearance
    /// The address on the air.
    public var address: OwnAddress
    /// What each central is asked for as soon as it is connected; one that does not give it is sent away.
    public var requiredSecurity: LinkSecurity.Level

    /// A configuration.
    public init(
        name: String, appearance: Appearance = Appearance(rawValue: 0), address: OwnAddress = .automatic,
        requiredSecurity: LinkSecurity.Level = .none
    ) {
        self.name = name
        self.appearance = appearance
        self.address = address
        self.requiredSecurity = requiredSecurity
    }
}

/// A descriptor of our own.
public struct LocalDescriptor: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Its value.
    public var value: [UInt8]
    /// What clients may do with it.
    public var permissions: AttributePermissions
    /// The handle asked for; nil for the next free one.
    public var handle: UInt16?

    /// A descriptor.
    public init(
        uuid: BluetoothUUID, value: [UInt8], permissions: AttributePermissions = .readable, handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.value = value
        self.permissions = permissions
        self.handle = handle
    }
}

/// A characteristic of our own.
public struct LocalCharacteristic: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// What clients may do with it.
    public var properties: CharacteristicProperties
    /// What the server demands of them.
    public var permissions: AttributePermissions
    /// The value; nil where the delegate is asked at each read.
    public var value: [UInt8]?
    /// Further descriptors. The client characteristic configuration is added where the properties need it.
    public var descriptors: [LocalDescriptor]
    /// The handle of the value asked for; nil for the next free one.
    public var handle: UInt16?
    /// The shortest key that counts as encryption, 7 to 16 octets; 0 where none is demanded.
    public var minimumKeySize: UInt8
    /// Whether it has a client characteristic configuration; nil where the properties decide.
    public var hasConfiguration: Bool?

    /// A characteristic.
    public init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions,
        value: [UInt8]? = nil, descriptors: [LocalDescriptor] = [], handle: UInt16? = nil, minimumKeySize: UInt8 = 0
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.descriptors = descriptors
        self.handle = handle
        self.minimumKeySize = minimumKeySize
    }
}

/// A service of our own.
public struct LocalService: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Whether it is primary.
    public var isPrimary: Bool
    /// Its characteristics, in the order of their handles.
    public var characteristics: [LocalCharacteristic]
    /// Services added before that it includes.
    public var included: [AttributeID]
    /// Services that it includes, by their places among those of one
    /// ``LocalDevice/replaceDatabase(_:addsGenericServices:)``.
    public var includedMembers: [Int] = []
    /// The handle of the declaration asked for; nil for the next free one.
    public var handle: UInt16?
    /// The last handle of the service; nil for that of its last attribute.
    public var endHandle: UInt16?

    /// A service.
    public init(
        uuid: BluetoothUUID, isPrimary: Bool = true, characteristics: [LocalCharacteristic],
        included: [AttributeID] = [], handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
        self.included = included
        self.handle = handle
    }
}

/// Where a service of our own was placed.
public struct PlacedService: Hashable, Sendable {
    /// Where one characteristic was placed.
    public struct Characteristic: Hashable, Sendable {
        /// Its value.
        public var value: AttributeID
        /// Its descriptors, in the order given.
        public var descriptors: [AttributeID]

        /// A place.
        public init(value: AttributeID, descriptors: [AttributeID]) {
            self.value = value
            self.descriptors = descriptors
        }
    }

    /// The service's declaration.
    public var id: AttributeID
    /// The characteristics, in the order given.
    public var characteristics: [Characteristic]

    /// A place.
    public init(id: AttributeID, characteristics: [Characteristic]) {
        self.id = id
        self.characteristics = characteristics
    }
}

/// A service of ours that has no place in the database.
public struct LocalPlacementError: Error, Hashable, Sendable {
    /// The place of the service among those that were given; nil for one that every device has.
    public var service: Int?
    /// The place of the characteristic in its service; nil where the service is meant.
    public var characteristic: Int?
    /// The place of the descriptor in its characteristic; nil where the characteristic is meant.
    public var descriptor: Int?
    /// The reason.
    public var reason: RadioError

    /// An error.
    public init(service: Int?, characteristic: Int? = nil, descriptor: Int? = nil, reason: RadioError) {
        self.service = service
        self.characteristic = characteristic
        self.descriptor = descriptor
        self.reason = reason
    }
}

/// How to advertise a device of our own.
public struct AdvertisingRequest: Hashable, Sendable {
    /// The advertisement; what does not fit goes into the scan response.
    public var data: AdvertisingData
    /// The scan response; nil to fill it as needed.
    public var scanResponse: AdvertisingData?
    /// Time between two advertisements, 20 ms to 10.24 s.
    public var interval: Duration
    /// Whether centrals may connect.
    public var isConnectable: Bool

    /// A request.
    public init(
        data: AdvertisingData, scanResponse: AdvertisingData? = nil, interval: Duration = .milliseconds(100),
        isConnectable: Bool = true
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
        self.isConnectable = isConnectable
    }
}

/// A device of our own: an identity, a GATT database and, while it advertises, an advertising set. Confined to the loop.
public protocol LocalDevice: AnyObject {
    /// The address on the air, where the platform shows it and it is known.
    var address: BluetoothAddress? { get }
    /// How the link to a central is protected.
    func security(of central: PeripheralID) -> LinkSecurity?
    /// Adds a service; connected clients that asked for it are told.
    func add(_ service: LocalService) throws(RadioError) -> PlacedService
    /// Replaces the whole database. The services may include each other in any order. 1800 and 1801 among them take the
    /// place of the device's own; with `addsGenericServices` those that are missing are added.
    /// - Returns: the places of `services`, in their order.
    /// - Throws: ``LocalPlacementError`` about the first service that cannot be placed, or that the platform does not
    ///   leave to programs.
    func replaceDatabase(
        _ services: [LocalService], addsGenericServices: Bool
    ) throws(LocalPlacementError) -> [PlacedService]
    /// Removes a service; connected clients that asked for it are told.
    func remove(_ service: AttributeID)
    /// Replaces a value that is kept by the server; nobody is notified.
    func setValue(_ value: [UInt8], of attribute: AttributeID)

    /// Starts to advertise, and goes on after a connection ended; `completion` when the first advertisement may be heard.
    func startAdvertising(_ request: AdvertisingRequest, completion: @escaping (Result<Void, RadioError>) -> Void)
    /// Stops to advertise; links stay.
    func stopAdvertising(completion: @escaping () -> Void)

    /// Who is connected.
    var centrals: [PeripheralID] { get }
    /// Who has subscribed to a characteristic.
    func subscribers(of characteristic: AttributeID) -> [PeripheralID]
    /// The most bytes of one notification to `central`.
    func maximumUpdateLength(for central: PeripheralID) -> Int
    /// Sends a value to the subscribers, or to those in `centrals`, each as it subscribed; completes when the radio has
    /// taken every notification and every indication was confirmed. Each subscriber has a queue of its own: where it is
    /// full, the oldest notification is dropped, and an indication ends in an error.
    func update(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    )
    /// The same with the outcome of each subscriber; it completes with the last of them.
    func updateEach(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping ([PeripheralID: Result<Void, RadioError>]) -> Void
    )
    /// Whether an update would go out at once to every subscriber that is not stalled;
    /// ``LocalDeviceDelegate/localDeviceIsReadyToUpdate()`` tells when again.
    var canUpdate: Bool { get }
    /// How many more updates the queues of all live subscribers take before one of them drops a value. With less than
    /// `wanted`, ``LocalDeviceDelegate/localDeviceIsReadyToUpdate()`` tells when to ask again. A subscriber that completes
    /// nothing for 1 s, or two connection intervals if longer, is stalled and does not count.
    func updateRoom(of characteristic: AttributeID, for centrals: [PeripheralID]?, wanted: Int) -> Int
    /// How many values subscribers missed because their queues were full.
    var droppedValues: Int { get }

    /// Ends the link to a central, where the platform lets a peripheral do that.
    func disconnect(_ central: PeripheralID) throws(RadioError)
    /// Asks the central for connection parameters.
    func updateParameters(
        _ request: ConnectionParametersRequest, of central: PeripheralID,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    )
    /// Accepts L2CAP channels; nil for the next free number. Answers with the protocol/service multiplexer.
    func publishChannel(
        psm: UInt16?, requiresEncryption: Bool, accepted: @escaping (any BackendChannel) -> Void,
        completion: @escaping (Result<UInt16, RadioError>) -> Void
    )
    /// Accepts no further channel there.
    func unpublishChannel(psm: UInt16)
    /// Stops to advertise, ends the links and gives the identity back.
    func close(completion: @escaping () -> Void)
}

/// A read of a value that the server does not keep.
public struct LocalReadRequest {
    /// Who reads.
    public var central: PeripheralID
    /// What is read.
    public var attribute: AttributeID
    /// From which byte on.
    public var offset: Int
    /// Answers with the value from `offset` on; only the first answer counts.
    public var respond: (Result<[UInt8], ATTErrorCode>) -> Void

    /// A request.
    public init(
        central: PeripheralID, attribute: AttributeID, offset: Int,
        respond: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
    ) {
        self.central = central
        self.attribute = attribute
        self.offset = offset
        self.respond = respond
    }
}

/// Writes that belong together: all of them or none.
public struct LocalWriteRequest {
    /// One write.
    public struct Part: Hashable, Sendable {
        /// What is written.
        public var attribute: AttributeID
        /// From which byte on.
        public var offset: Int
        /// The bytes.
        public var value: [UInt8]

        /// A part.
        public init(attribute: AttributeID, offset: Int, value: [UInt8]) {
            self.attribute = attribute
            self.offset = offset
            self.value = value
        }
    }

    /// Who writes.
    public var central: PeripheralID
    /// What is written, in order.
    public var parts: [Part]
    /// Answers; nil where the writer expects no answer. Only the first answer counts.
    public var respond: ((Result<Void, ATTErrorCode>) -> Void)?

    /// A request.
    public init(
        central: PeripheralID, parts: [Part], respond: ((Result<Void, ATTErrorCode>) -> Void)?
    ) {
        self.central = central
        self.parts = parts
        self.respond = respond
    }
}

/// Answers for a device of our own; confined to the loop, held weakly by it.
public protocol LocalDeviceDelegate: AnyObject {
    /// A central connected.
    func localDevice(connected central: PeripheralID)
    /// A central disconnected.
    func localDevice(disconnected central: PeripheralID, _ error: RadioError)
    /// The protection of a central's link changed.
    func localDevice(security: LinkSecurity, of central: PeripheralID)
    /// A central reads a value that the server does not keep.
    func localDevice(read request: LocalReadRequest)
    /// A central writes.
    func localDevice(write request: LocalWriteRequest)
    /// A central subscribed, or changed how.
    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind)
    /// A central unsubscribed.
    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID)
    /// Updates may be possible that were not before.
    func localDeviceIsReadyToUpdate()
    /// Advertising ended without being asked to.
    func localDevice(advertisingEnded error: RadioError)
    /// The fixed passkey of the device is refused from now on, because three attempts on it failed.
    func localDevicePasskeyBlocked()
}

extension LocalDeviceDelegate {
    /// Nothing.
    public func localDevicePasskeyBlocked() {}
    /// Nothing.
    public func localDevice(security: LinkSecurity, of central: PeripheralID) {}
}

extension LocalDevice {
    /// Sends to one subscriber after the other, without waiting in between.
    public func updateEach(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping ([PeripheralID: Result<Void, RadioError>]) -> Void
    ) {
        let subscribers = subscribers(of: characteristic)
        let receivers = centrals.map { $0.filter(subscribers.contains) } ?? subscribers
        guard !receivers.isEmpty else {
            // Readers get the value all the same.
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

    /// No limit: the platform queues by itself.
    public func updateRoom(of characteristic: AttributeID, for centrals: [PeripheralID]?, wanted: Int) -> Int { .max }
}
