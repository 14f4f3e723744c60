import BluetoothModel

/// The configuration of a host stack, fixed when the host is created.
package struct HostConfiguration: Sendable {
    /// The policy for the address used for scanning, connecting and advertising, unless an identity has its own
    /// address.
    package var ownAddress = OwnAddressPolicy.public
    /// The public addresses by which bonded devices know this host. A controller with one of them uses it even if
    /// ``ownAddress`` is a static random address.
    package var formerAddresses: Set<BluetoothAddress> = []
    /// The time after which an unanswered command means that the controller is unavailable.
    package var commandTimeout = Duration.seconds(5)
    /// The maximum number of bytes in a link's send queue. A link that exceeds it is disconnected.
    package var linkQueueLimit = 1 << 20
    /// The maximum length of a reassembled L2CAP frame in bytes, including the 4-byte header.
    package var maximumFrameLength = 4 + 0xFFFF
    /// True to request long data packets on each new link, if the controller supports them.
    package var requestsDataLength = true
    /// True to use the controller's filter accept list for concurrent connections to several devices.
    package var usesAcceptList = true
    /// True to let the controller resolve private addresses of bonded devices if it can; otherwise the host does.
    package var usesResolvingList = true
    /// True to use extended advertising, scanning and initiating, if the controller supports them.
    package var usesExtendedAdvertising = true
    /// Decides, as central, on connection parameters that a peer requests. Not called for parameters out of range.
    package var acceptsParameters: @Sendable (ConnectionParametersRequest) -> Bool = { _ in true }

    /// Creates a configuration that suits every controller.
    package init() {}
}
