/// A physical layer of Bluetooth Low Energy. The raw value is that of HCI.
public enum PHY: UInt8, Hashable, Sendable, CaseIterable {
    /// LE 1M: 1 Mb/s, mandatory.
    case le1M = 1
    /// LE 2M: 2 Mb/s.
    case le2M = 2
    /// LE Coded: long range.
    case leCoded = 3
}

/// The physical layers of a link, per direction.
public struct LinkPHY: Hashable, Sendable {
    /// The physical layer for transmission by this device.
    public var transmit: PHY
    /// The physical layer for reception by this device.
    public var receive: PHY

    /// Creates a pair of physical layers.
    public init(transmit: PHY, receive: PHY) {
        self.transmit = transmit
        self.receive = receive
    }
}
