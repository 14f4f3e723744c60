import BluetoothModel
import BluetoothRuntime

/// Names an attribute of a connected device: its handle where the platform shows handles, else a number of the backend.
public struct AttributeID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public var rawValue: UInt32

    /// An attribute by its number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Names an operation that was started on a link, so that it can be given up.
public struct OperationID: RawRepresentable, Hashable, Sendable {
    /// The number, unique on its link.
    public var rawValue: UInt64

    /// An operation by its number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A service of a connected device.
public struct RemoteService: Hashable, Sendable {
    /// Which attribute declares it.
    public var id: AttributeID
    /// What it is.
    public var uuid: BluetoothUUID
    /// Whether it is primary.
    public var isPrimary: Bool

    /// A service.
    public init(id: AttributeID, uuid: BluetoothUUID, isPrimary: Bool) {
        self.id = id
        self.uuid = uuid
        self.isPrimary = isPrimary
    }
}

/// A characteristic of a connected device.
public struct RemoteCharacteristic: Hashable, Sendable {
    /// Which attribute holds its value.
    public var id: AttributeID
    /// What it is.
    public var uuid: BluetoothUUID
    /// What one may do with it.
    public var properties: CharacteristicProperties

    /// A characteristic.
    public init(id: AttributeID, uuid: BluetoothUUID, properties: CharacteristicProperties) {
        self.id = id
        self.uuid = uuid
        self.properties = properties
    }
}

/// A descriptor of a connected device.
public struct RemoteDescriptor: Hashable, Sendable {
    /// Which attribute it is.
    public var id: AttributeID
    /// What it is.
    public var uuid: BluetoothUUID

    /// A descriptor.
    public init(id: AttributeID, uuid: BluetoothUUID) {
        self.id = id
        self.uuid = uuid
    }
}

/// How a subscriber wants to hear of a value.
public enum SubscriptionKind: Hashable, Sendable {
    /// As the characteristic offers; notifications where it offers both.
    case any
    /// Unacknowledged.
    case notifications
    /// Acknowledged by the core.
    case indications
}

/// One user's share in a link to a device; the link ends when the last share is released.
///
/// Views of bytes in completions are valid only during the call. A timeout of nil waits as long as the protocol does.
public protocol PeripheralLink: AnyObject {
    /// Which device.
    var peripheral: PeripheralID { get }
    /// Whether the link is up.
    var isConnected: Bool { get }
    /// The ATT MTU.
    var mtu: Int { get }
    /// What the connection runs with, where the platform shows it.
    var parameters: ConnectionParameters? { get }
    /// How the link is protected.
    var security: LinkSecurity { get }
    /// Hears what happens to the link; held weakly.
    var observer: (any LinkObserver)? { get set }

    /// The most bytes of one write of this kind.
    func maximumWriteLength(withResponse: Bool) -> Int

    /// Gives up this share; `completion` once it is given up and, if it was the last, the link has ended.
    func release(completion: @escaping () -> Void)
    /// Gives up one operation, whose completion follows with `cancelled`.
    func cancel(_ operation: OperationID)

    /// Learns everything about the device's attributes at once, where that costs less than step by step; the steps
    /// that follow then know the answers.
    @discardableResult
    func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void) -> OperationID
    /// Finds the primary services, all or those of `filter`.
    @discardableResult
    func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID
    /// Finds the secondary services, where the platform shows those that no service includes.
    @discardableResult
    func discoverSecondaryServices(
        timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID
    /// What the discoveries skipped because it breaks the specification, where the platform shows it.
    var skippedAttributes: SkippedAttributes { get }
    /// Finds the services that a service includes.
    @discardableResult
    func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID
    /// Finds the characteristics of a service, all or those of `filter`.
    @discardableResult
    func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID
    /// Finds the descriptors of a characteristic.
    @discardableResult
    func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID

    /// Reads a value, of whatever length.
    ///
    /// Where the device refuses a read, a write or a subscription because the link is not protected enough, the link is
    /// encrypted with the key of a bond, or paired where somebody can be asked, and the operation is done once more. Its
    /// timeout covers all of that.
    @discardableResult
    func read(
        _ attribute: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID
    /// Writes a value, of whatever length, and waits for the acknowledgement.
    @discardableResult
    func write(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID
    /// Whether a write without response would go out at once.
    var canWriteWithoutResponse: Bool { get }
    /// Writes a value that nobody acknowledges; completes when the radio has taken it.
    @discardableResult
    func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID

    /// Hears of a value: `receive` is attached before the device is told, and stays until ``unsubscribe(_:timeout:completion:)``.
    @discardableResult
    func subscribe(
        _ characteristic: AttributeID, kind: SubscriptionKind, timeout: Duration?,
        receive: @escaping (ByteView) -> Void, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID
    /// Ends a subscription, named by what `subscribe` returned; the device is told when it was the last.
    func unsubscribe(
        _ subscription: OperationID, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    )

    /// Called while `receive` of a subscription runs: holds back the confirmation of an indication, which the device
    /// may take as leave to delete the value. After 30 s without it the device gives the link up (Core 6.0, Vol 3, Part F,
    /// 3.3.3).
    /// - Returns: the action that lets the confirmation go, to be called once on the loop; nil where the value is no
    ///   indication or the platform confirms by itself.
    func holdConfirmation() -> (() -> Void)?

    /// Reads the signal strength in dBm.
    @discardableResult
    func readRSSI(timeout: Duration?, completion: @escaping (Result<Int, RadioError>) -> Void) -> OperationID
    /// Reads the physical layers.
    @discardableResult
    func readPHY(timeout: Duration?, completion: @escaping (Result<LinkPHY, RadioError>) -> Void) -> OperationID
    /// Asks for physical layers; the answer is what the two sides agreed on.
    @discardableResult
    func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, timeout: Duration?,
        completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) -> OperationID
    /// Asks for connection parameters; the answer is what the link now runs with.
    @discardableResult
    func updateParameters(
        _ request: ConnectionParametersRequest, timeout: Duration?,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) -> OperationID
    /// Opens an L2CAP channel with credits to a protocol/service multiplexer (0x01 to 0xFF).
    @discardableResult
    func openChannel(
        psm: UInt16, timeout: Duration?, completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> OperationID
    /// Brings the link to a level: with the key of a bond where that is enough, else by pairing, also where there is a
    /// bond that is less; succeeds at once where the link has the level. Any number of users may ask at the same time: it
    /// is done once, and given up when the last of them gives up.
    ///
    /// A backend that is not told how well links are protected pairs, and reports the least that it can be sure of.
    @discardableResult
    func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID
}

extension PeripheralLink {
    /// Nil: the platform confirms by itself.
    public func holdConfirmation() -> (() -> Void)? { nil }

    /// None: the platform shows secondary services only where others include them.
    public func discoverSecondaryServices(
        timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        completion(isConnected ? .success([]) : .failure(.notConnected))
        return OperationID(rawValue: 0)
    }

    /// None: the platform discovers by itself and does not tell.
    public var skippedAttributes: SkippedAttributes { SkippedAttributes() }
}

/// Hears what happens to one share of a link; confined to the loop.
public protocol LinkObserver: AnyObject {
    /// The link ended; nothing more follows.
    func linkDisconnected(_ error: RadioError)
    /// The ATT MTU changed.
    func linkMTUChanged(_ mtu: Int)
    /// The connection parameters changed.
    func linkParametersChanged(_ parameters: ConnectionParameters)
    /// The protection changed.
    func linkSecurityChanged(_ security: LinkSecurity)
    /// The device changed its attributes: these services, as they were discovered, are no longer valid.
    func linkServicesChanged(_ services: [AttributeID])
    /// A write without response would go out at once again.
    func linkIsReadyToWriteWithoutResponse()
    /// The device changed its name.
    func linkNameChanged(_ name: String)
}

/// An L2CAP channel with credits.
public protocol BackendChannel: AnyObject {
    /// The protocol/service multiplexer.
    var psm: UInt16 { get }
    /// The most bytes of one message that the peer takes.
    var peerMTU: Int { get }
    /// Who is on the other side.
    var peer: PeripheralID { get }

    /// Takes over the messages that come in. Each has to be acknowledged with ``consumed()``, which lets the peer send
    /// one more; `closed` comes once, last.
    func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void)
    /// The reader has taken one message.
    func consumed()
    /// Sends one message of at most ``peerMTU`` bytes; completes when the radio has taken all of it.
    func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void)
    /// Ends the channel.
    func close()
}
