/// How fast data crosses a link of a ``VirtualAir``.
public struct AirPace: Hashable, Sendable {
    /// How many packets each side sends in one connection event; nil where data does not wait for events.
    public let packetsPerEvent: Int?

    private init(packetsPerEvent: Int?) { self.packetsPerEvent = packetsPerEvent }

    /// As fast as possible: data is delivered and completed at once, link layer procedures take no time, and who
    /// initiates is connected at once to who advertises. Each packet of the sender's host reaches the receiver's whole.
    public static let unpaced = AirPace(packetsPerEvent: nil)

    /// As on real air, with six packets a side in one connection event.
    public static let connectionInterval = AirPace(packetsPerEvent: 6)

    /// As on real air: data waits for the next connection event that the peripheral attends, is cut to the data length
    /// of the link, and each side sends at most `packetsPerEvent` packets, 1 or more, in one event.
    public static func connectionInterval(packetsPerEvent: Int) -> AirPace {
        AirPace(packetsPerEvent: max(1, packetsPerEvent))
    }
}
