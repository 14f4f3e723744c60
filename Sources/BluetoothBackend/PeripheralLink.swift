import BluetoothModel
import BluetoothRuntime

/// The identifier of an operation on a link, for its cancellation.
package struct OperationID: RawRepresentable, Hashable, Sendable {
    /// The number, unique on its link.
    package var rawValue: UInt64

    /// Creates an identifier from its number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A service of a connected device.
package struct RemoteService: Hashable, Sendable {
    /// The attribute that declares the service.
    package var id: AttributeID
    /// The UUID.
    package var uuid: BluetoothUUID
    /// True for a primary service, false for a secondary one.
    package var isPrimary: Bool

    /// Creates a service.
    package init(id: AttributeID, uuid: BluetoothUUID, isPrimary: Bool) {
        self.id = id
        self.uuid = uuid
        self.isPrimary = isPrimary
    }
}

/// A characteristic of a connected device.
package struct RemoteCharacteristic: Hashable, Sendable {
    /// The attribute of the value.
    package var id: AttributeID
    /// The UUID.
    package var uuid: BluetoothUUID
    /// The operations that the characteristic offers.
    package var properties: CharacteristicProperties

    /// Creates a characteristic.
    package init(id: AttributeID, uuid: BluetoothUUID, properties: CharacteristicProperties) {
        self.id = id
        self.uuid = uuid
        self.properties = properties
    }
}

/// A descriptor of a connected device.
package struct RemoteDescriptor: Hashable, Sendable {
    /// The attribute of the descriptor.
    package var id: AttributeID
    /// The UUID.
    package var uuid: BluetoothUUID

    /// Creates a descriptor.
    package init(id: AttributeID, uuid: BluetoothUUID) {
        self.id = id
        self.uuid = uuid
    }
}

/// One user's share of a link to a device; the link ends when the last share is released.
///
/// Byte views passed to completions are valid only during the call. A timeout of nil means no limit but that of the
/// protocol.
package protocol PeripheralLink: AnyObject {
    /// The device.
    var peripheral: PeripheralID { get }
    /// True while the link is up.
    var isConnected: Bool { get }
    /// The ATT MTU.
    var mtu: Int { get }
    /// The current connection parameters, if the platform shows them.
    var parameters: ConnectionParameters? { get }
    /// The security of the link.
    var security: LinkSecurity { get }
    /// Receives the events of the link; a weak reference.
    var observer: (any LinkObserver)? { get set }

    /// Returns the maximum length of one write of this kind, in bytes.
    func maximumWriteLength(withResponse: Bool) -> Int

    /// Releases this share: its operations, subscriptions and channels end, those of other users continue. Completes
    /// once it is released and, if it was the last, the link has ended.
    func release(completion: @escaping () -> Void)
    /// Cancels one operation, which completes with `cancelled`.
    func cancel(_ operation: OperationID)

    /// Discovers all attributes of the device, on platforms where this needs fewer requests than separate discoveries.
    /// Later discoveries are answered from the result.
    @discardableResult
    func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void) -> OperationID
    /// Discovers the primary services, all or those of `filter`.
    @discardableResult
    func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID
    /// Discovers the secondary services, if the platform shows those that no service includes.
    @discardableResult
    func discoverSecondaryServices(
        timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID
    /// The attributes that discovery skipped because they violate the specification, where the platform reports them.
    var skippedAttributes: SkippedAttributes { get }
    /// Discovers the included services of a service.
    @discardableResult
    func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID
    /// Discovers the characteristics of a service, all or those of `filter`.
    @discardableResult
    func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID
    /// Discovers the descriptors of a characteristic.
    @discardableResult
    func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID

    /// Reads a whole value, with further requests if it does not fit into one response.
    ///
    /// If the device refuses a read, a write or a subscription because of insufficient security, the link is encrypted
    /// with the key of a bond, or paired if a user can be asked, and the operation is repeated once. The timeout
    /// includes these procedures.
    @discardableResult
    func read(
        _ attribute: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID
    /// Writes a value of any length and completes with the acknowledgement.
    @discardableResult
    func write(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID
    /// Writes a part of a value, from the position `offset` on, and completes with the acknowledgement.
    @discardableResult
    func write(
        _ bytes: [UInt8], to attribute: AttributeID, at offset: Int, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID
    /// True if a write without response would be sent at once.
    var canWriteWithoutResponse: Bool { get }
    /// Writes a value without response; completes when the radio has taken it.
    @discardableResult
    func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID

    /// Subscribes to a value. `receive` is attached before the subscription is requested from the device, and remains
    /// until ``unsubscribe(_:timeout:completion:)``.
    @discardableResult
    func subscribe(
        _ characteristic: AttributeID, kind: SubscriptionKind, timeout: Duration?,
        receive: @escaping (ByteView) -> Void, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID
    /// Ends a subscription, identified by the result of `subscribe`; unsubscribes on the device if it was the last one.
    func unsubscribe(
        _ subscription: OperationID, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    )

    /// Withholds the confirmation of an indication, which the device may take as permission to delete the value. Must
    /// be called while `receive` of a subscription runs. The device ends the link after 30 s without the confirmation
    /// (Core 6.0, Vol 3, Part F, 3.3.3).
    /// - Returns: A closure that sends the confirmation, to be called once on the loop; nil if the value is no
    ///   indication or the platform confirms by itself.
    func holdConfirmation() -> (() -> Void)?

    /// The frames of a link that was established by ``ConnectRequest/isRaw``; nil for any other link.
    var rawFrames: (any RawFrames)? { get }

    /// The error of a feature that the platform does not provide.
    func unsupported(_ feature: String) -> RadioError
    /// Reads the RSSI, in dBm.
    @discardableResult
    func readRSSI(timeout: Duration?, completion: @escaping (Result<Int, RadioError>) -> Void) -> OperationID
    /// Reads the physical layers (PHY) of both directions.
    @discardableResult
    func readPHY(timeout: Duration?, completion: @escaping (Result<LinkPHY, RadioError>) -> Void) -> OperationID
    /// Requests physical layers; completes with those that the two sides agreed on.
    @discardableResult
    func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, timeout: Duration?,
        completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) -> OperationID
    /// Requests connection parameters; completes with those that are in use afterwards.
    @discardableResult
    func updateParameters(
        _ request: ConnectionParametersRequest, timeout: Duration?,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) -> OperationID
    /// The maximum data length of the link's packets; nil if the platform does not report it.
    var dataLength: LinkDataLength? { get }
    /// Requests packets of up to `octets` octets, 27 to 251. The peer may limit them; the result is in ``dataLength``.
    @discardableResult
    func setDataLength(
        _ octets: UInt16, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID
    /// Opens an LE credit-based L2CAP channel to a PSM (protocol/service multiplexer), 0x01 to 0xFF.
    @discardableResult
    func openChannel(
        psm: UInt16, timeout: Duration?, completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> OperationID
    /// Raises the link to a security level: by encryption with the key of a bond if that is sufficient, otherwise by
    /// pairing, even if there is a weaker bond. Succeeds at once if the link has the level. Any number of users may
    /// request it concurrently: one procedure secures the link for all of them, and is cancelled when the last of them
    /// cancels.
    ///
    /// A backend that cannot determine the security of a link pairs, and reports the guaranteed minimum.
    @discardableResult
    func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID
}

extension PeripheralLink {
    /// Default: nil, because the platform has no access to frames.
    package var rawFrames: (any RawFrames)? { nil }

    /// Default: nil, because the platform confirms by itself.
    package func holdConfirmation() -> (() -> Void)? { nil }

    /// Default: none, because the platform shows secondary services only where others include them.
    package func discoverSecondaryServices(
        timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        completion(isConnected ? .success([]) : .failure(.notConnected))
        return OperationID(rawValue: 0)
    }

    /// Nil: the platform does not show it.
    package var dataLength: LinkDataLength? { nil }

    package func unsupported(_ feature: String) -> RadioError {
        .unsupported("the platform does not provide \(feature)")
    }

    /// Fails an operation that the platform does not provide.
    private func fail<Value>(
        _ feature: String, _ completion: @escaping (Result<Value, RadioError>) -> Void
    ) -> OperationID {
        completion(.failure(isConnected ? unsupported(feature) : .notConnected))
        return OperationID(rawValue: 0)
    }

    /// The platform writes whole values.
    package func write(
        _ bytes: [UInt8], to attribute: AttributeID, at offset: Int, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { fail("writes at an offset", completion) }

    /// The platform chooses it by itself.
    package func setDataLength(
        _ octets: UInt16, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { fail("the choice of the data length", completion) }

    /// The platform does not report them.
    package func readPHY(
        timeout: Duration?, completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) -> OperationID { fail("physical layers", completion) }

    /// The platform chooses them by itself.
    package func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, timeout: Duration?,
        completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) -> OperationID { fail("physical layers", completion) }

    /// The platform chooses them by itself.
    package func updateParameters(
        _ request: ConnectionParametersRequest, timeout: Duration?,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) -> OperationID { fail("connection parameters", completion) }

    /// Default: none, because the platform performs discovery itself and does not report them.
    package var skippedAttributes: SkippedAttributes { SkippedAttributes() }
}

/// Receives the events of one share of a link. Confined to the loop.
package protocol LinkObserver: AnyObject {
    /// The link ended; no further event follows.
    func linkDisconnected(_ error: RadioError)
    /// The ATT MTU changed.
    func linkMTUChanged(_ mtu: Int)
    /// The connection parameters changed.
    func linkParametersChanged(_ parameters: ConnectionParameters)
    /// The security of the link changed.
    func linkSecurityChanged(_ security: LinkSecurity)
    /// The device changed its attributes: these discovered services are no longer valid.
    func linkServicesChanged(_ services: [AttributeID])
    /// A write without response would be sent at once again.
    func linkIsReadyToWriteWithoutResponse()
    /// The device changed its name.
    func linkNameChanged(_ name: String)
}

/// An LE credit-based L2CAP channel.
package protocol BackendChannel: AnyObject {
    /// The PSM (protocol/service multiplexer).
    var psm: UInt16 { get }
    /// The maximum length of a message that the peer accepts, in bytes.
    var peerMTU: Int { get }
    /// The peer.
    var peer: PeripheralID { get }

    /// Sets the receivers of messages and of the end. Each message has to be acknowledged with ``consumed()``, which
    /// returns a credit to the peer; `closed` is called once, last.
    func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void)
    /// Acknowledges one message.
    func consumed()
    /// Sends one message of at most ``peerMTU`` bytes; completes when the radio has taken all of it.
    func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void)
    /// Closes the channel.
    func close()
    /// Closes the channel, and reports its end with an error.
    func end(_ error: RadioError)
}
