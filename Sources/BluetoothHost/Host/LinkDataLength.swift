/// How much a link's packets carry (Core 6.0, Vol 4, Part E, 7.7.65.7).
public struct LinkDataLength: Hashable, Sendable {
    /// The most bytes in a packet that we send or receive, 27 to 251.
    public var transmitOctets: UInt16, receiveOctets: UInt16
    /// The longest packet that we send or receive, in microseconds, 328 to 17040.
    public var transmitTime: UInt16, receiveTime: UInt16

    /// Lengths in the units of the specification.
    public init(transmitOctets: UInt16, transmitTime: UInt16, receiveOctets: UInt16, receiveTime: UInt16) {
        self.transmitOctets = transmitOctets
        self.transmitTime = transmitTime
        self.receiveOctets = receiveOctets
        self.receiveTime = receiveTime
    }

    /// What every link begins with.
    public static let initial = LinkDataLength(
        transmitOctets: 27, transmitTime: 328, receiveOctets: 27, receiveTime: 328)
}
