/// The maximum packet lengths of a link (Core 6.0, Vol 4, Part E, 7.7.65.7).
public struct LinkDataLength: Hashable, Sendable {
    /// The maximum number of bytes in a sent and in a received packet, 27 to 251.
    public var transmitOctets: UInt16, receiveOctets: UInt16
    /// The maximum duration of a sent and of a received packet in microseconds, 328 to 17040.
    public var transmitTime: UInt16, receiveTime: UInt16

    /// Creates packet lengths.
    public init(transmitOctets: UInt16, transmitTime: UInt16, receiveOctets: UInt16, receiveTime: UInt16) {
        self.transmitOctets = transmitOctets
        self.transmitTime = transmitTime
        self.receiveOctets = receiveOctets
        self.receiveTime = receiveTime
    }

    /// The initial values of every link.
    public static let initial = LinkDataLength(
        transmitOctets: 27, transmitTime: 328, receiveOctets: 27, receiveTime: 328)
}
