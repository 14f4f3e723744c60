/// A change of the channel map of a periodic advertising train (Core Specification Supplement, Part A, 1.20).
public struct ChannelMapUpdate: Hashable, Sendable {
    /// The channels in use, one bit for each of the 37 channels.
    public var channelMap: UInt64
    /// The periodic advertising event counter at which the new map takes effect.
    public var instant: UInt16

    /// Creates an update.
    public init(channelMap: UInt64, instant: UInt16) {
        self.channelMap = channelMap & 0x1F_FFFF_FFFF
        self.instant = instant
    }
}
