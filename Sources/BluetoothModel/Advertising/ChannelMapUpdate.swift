/// New channels of a periodic advertising train (Core Specification Supplement, Part A, 1.20).
public struct ChannelMapUpdate: Hashable, Sendable {
    /// The channels in use, a bit each, 37 of them.
    public var channelMap: UInt64
    /// The number of the periodic advertising event at which they begin to be used.
    public var instant: UInt16

    /// New channels from an event on.
    public init(channelMap: UInt64, instant: UInt16) {
        self.channelMap = channelMap & 0x1F_FFFF_FFFF
        self.instant = instant
    }
}
