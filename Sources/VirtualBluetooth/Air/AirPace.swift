/// The data rate of the links of a ``VirtualAir``.
public struct AirPace: Hashable, Sendable {
    /// The maximum number of packets that each side sends in one connection event; nil if data does not wait for
    /// events.
    public let packetsPerEvent: Int?

    private init(packetsPerEvent: Int?) { self.packetsPerEvent = packetsPerEvent }

    /// No pacing: data is delivered and completed at once, link layer procedures take no time, and an initiator
    /// connects to an advertiser at once. Each ACL packet of the sender's host reaches the receiver's host
    /// unfragmented.
    public static let unpaced = AirPace(packetsPerEvent: nil)

    /// Real timing, with up to six packets per side in one connection event.
    public static let connectionInterval = AirPace(packetsPerEvent: 6)

    /// Real timing: data waits for the next connection event that the peripheral attends and is fragmented to the data
    /// length of the link. Each side sends at most `packetsPerEvent` packets in one event; values below 1 count as 1.
    public static func connectionInterval(packetsPerEvent: Int) -> AirPace {
        AirPace(packetsPerEvent: max(1, packetsPerEvent))
    }
}
