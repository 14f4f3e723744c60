import Harald

/// The effect of a write to a characteristic.
public struct WriteBehaviour: Hashable, Sendable {
    /// True if the written value becomes the value.
    public var stores = true
    /// The characteristic that sends the answers; nil for the written one if it can notify or indicate, else the first
    /// one of the service that can.
    public var answersOn: BluetoothUUID?
    /// True if the written value is sent back.
    public var echoes = false
    /// The value that is sent after each write.
    public var notify: ValueTemplate?
    /// Effects of particular writes. The first matching one applies.
    public var replies: [WriteReply] = []

    /// Creates the default: the written value is stored.
    public init() {}

    /// True if a write only stores the value.
    public var isPlain: Bool { stores && !echoes && notify == nil && replies.isEmpty }
    /// True if a write may cause a value to be sent.
    public var answers: Bool { echoes || notify != nil || replies.contains { $0.notify != nil } }
}

/// The effect of particular writes.
public struct WriteReply: Hashable, Sendable {
    /// The writes that the reply applies to.
    public var when: BytePattern
    /// The value to send.
    public var notify: ValueTemplate?
    /// The error response to the write; nothing is stored or sent then.
    public var refusal: ATTErrorCode?
    /// True if the device disconnects after the write.
    public var disconnects: Bool

    /// Creates a reply.
    public init(
        when pattern: BytePattern, notify: ValueTemplate? = nil, refusal: ATTErrorCode? = nil, disconnects: Bool = false
    ) {
        when = pattern
        self.notify = notify
        self.refusal = refusal
        self.disconnects = disconnects
    }
}
