import Harald

/// What a write to a characteristic does.
public struct WriteBehaviour: Hashable, Sendable {
    /// Whether the written value is the new value.
    public var stores = true
    /// Where answers come from; nil for the characteristic itself where it notifies, else the first of its service that
    /// does.
    public var answersOn: BluetoothUUID?
    /// Whether the written value is sent back.
    public var echoes = false
    /// What is sent after every write.
    public var notify: ValueTemplate?
    /// What is done after certain writes; the first that fits.
    public var replies: [WriteReply] = []

    /// The written value is the new value, and nothing else.
    public init() {}

    /// Whether anything but the value depends on a write.
    public var isPlain: Bool { stores && !echoes && notify == nil && replies.isEmpty }
    /// Whether something may be sent after a write.
    public var answers: Bool { echoes || notify != nil || replies.contains { $0.notify != nil } }
}

/// What is done after certain writes.
public struct WriteReply: Hashable, Sendable {
    /// Which writes.
    public var when: BytePattern
    /// What is sent.
    public var notify: ValueTemplate?
    /// With which error the write is refused; nothing is stored or sent then.
    public var refusal: ATTErrorCode?
    /// Whether the link is ended afterwards.
    public var disconnects: Bool

    /// A reply.
    public init(
        when pattern: BytePattern, notify: ValueTemplate? = nil, refusal: ATTErrorCode? = nil, disconnects: Bool = false
    ) {
        when = pattern
        self.notify = notify
        self.refusal = refusal
        self.disconnects = disconnects
    }
}
