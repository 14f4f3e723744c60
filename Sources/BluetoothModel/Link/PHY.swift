/// A physical layer of Bluetooth Low Energy; the raw value is the one of HCI.
public enum PHY: UInt8, Hashable, Sendable, CaseIterable {
    /// 1 Mb/s, which every device has.
    case le1M = 1
    /// 2 Mb/s.
    case le2M = 2
    /// Long range.
    case leCoded = 3
}

/// The physical layers of a link, one for each direction.
public struct LinkPHY: Hashable, Sendable {
    /// The one we send with.
    public var transmit: PHY
    /// The one we receive with.
    public var receive: PHY

    /// A pair of physical layers.
    public init(transmit: PHY, receive: PHY) {
        self.transmit = transmit
        self.receive = receive
    }
}
