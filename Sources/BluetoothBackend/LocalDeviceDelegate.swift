import BluetoothModel

/// A request to read a value that the server does not store.
package struct LocalReadRequest {
    /// The central that reads.
    package var central: PeripheralID
    /// The attribute to read.
    package var attribute: AttributeID
    /// The offset of the first byte.
    package var offset: Int
    /// Answers with the value from `offset` on; only the first call has an effect.
    package var respond: (Result<[UInt8], ATTErrorCode>) -> Void

    /// Creates a request.
    package init(
        central: PeripheralID, attribute: AttributeID, offset: Int,
        respond: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
    ) {
        self.central = central
        self.attribute = attribute
        self.offset = offset
        self.respond = respond
    }
}

/// A request to write one or several values: all of them or none.
package struct LocalWriteRequest {
    /// One write.
    package struct Part: Hashable, Sendable {
        /// The attribute to write.
        package var attribute: AttributeID
        /// The offset of the first byte.
        package var offset: Int
        /// The bytes.
        package var value: [UInt8]

        /// Creates a part.
        package init(attribute: AttributeID, offset: Int, value: [UInt8]) {
            self.attribute = attribute
            self.offset = offset
            self.value = value
        }

        /// Returns a stored value after this write, which ends with the bytes of the write; nil if the write begins
        /// beyond the end of the value.
        package func applied(to stored: [UInt8]) -> [UInt8]? {
            offset <= stored.count ? stored.prefix(offset) + value : nil
        }
    }

    /// The central that writes.
    package var central: PeripheralID
    /// The writes, in order.
    package var parts: [Part]
    /// Answers; nil if the central expects no response. Only the first call has an effect.
    package var respond: ((Result<Void, ATTErrorCode>) -> Void)?

    /// Creates a request.
    package init(
        central: PeripheralID, parts: [Part], respond: ((Result<Void, ATTErrorCode>) -> Void)?
    ) {
        self.central = central
        self.parts = parts
        self.respond = respond
    }
}

/// Receives the events and requests of a local device. Confined to the loop, referenced weakly by the device.
package protocol LocalDeviceDelegate: AnyObject {
    /// A central connected.
    func localDevice(connected central: PeripheralID)
    /// A central disconnected.
    func localDevice(disconnected central: PeripheralID, _ error: RadioError)
    /// The security of a central's link changed.
    func localDevice(security: LinkSecurity, of central: PeripheralID)
    /// A central reads a value that the server does not store.
    func localDevice(read request: LocalReadRequest)
    /// A central writes. The device replaces the values that it stores once the write is accepted.
    func localDevice(write request: LocalWriteRequest)
    /// A central subscribed, or changed the kind of its subscription.
    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind)
    /// A central unsubscribed.
    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID)
    /// Updates may be possible again.
    func localDeviceIsReadyToUpdate()
    /// Advertising ended without a request to stop.
    func localDevice(advertisingEnded error: RadioError)
    /// The fixed passkey of the device is refused from now on, after three failed attempts.
    func localDevicePasskeyBlocked()
}

extension LocalDeviceDelegate {
    /// Does nothing.
    package func localDevicePasskeyBlocked() {}
    /// Does nothing.
    package func localDevice(security: LinkSecurity, of central: PeripheralID) {}
}
