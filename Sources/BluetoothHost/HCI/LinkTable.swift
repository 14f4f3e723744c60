/// The links of a host by connection handle, found by index without hashing.
final class LinkTable {
    /// Connection handles are 0 to 0x0EFF (Core 6.0, Vol 4, Part E, 5.4.2).
    private static let capacity = 0x0F00

    /// Unretained references: every link in a slot is also in ``all``, which retains it, and is removed from both
    /// together. Unsafe memory, because every packet looks up its link here.
    private let slots: UnsafeMutablePointer<Unmanaged<LELink>?>
    /// All links, in the order in which they were established.
    private(set) var all: [LELink] = []

    init() {
        slots = .allocate(capacity: Self.capacity)
        slots.initialize(repeating: nil, count: Self.capacity)
    }

    deinit { slots.deallocate() }

    /// Returns the link with a handle.
    @inline(__always)
    subscript(handle: UInt16) -> LELink? {
        let index = Int(handle)
        return index < Self.capacity ? slots[index]?.takeUnretainedValue() : nil
    }

    /// Calls `body` with the link with a handle, without retaining it: `body` must only read and change numbers of the
    /// link. Returns nil if there is no link.
    @inline(__always)
    func withUnretained<Result>(_ handle: UInt16, _ body: (LELink) -> Result) -> Result? {
        let index = Int(handle)
        // Proof: the table retains the link, and `body` calls nothing that could remove it.
        return index < Self.capacity ? slots[index]?._withUnsafeGuaranteedRef { body($0) } : nil
    }

    /// Inserts a link; its handle must be unused and at most 0x0EFF.
    func insert(_ link: LELink) {
        precondition(Int(link.handle) < Self.capacity, "a handle is at most 0x0EFF")
        all.append(link)
        slots[Int(link.handle)] = .passUnretained(link)
    }

    /// Removes and returns the link with a handle.
    func remove(_ handle: UInt16) -> LELink? {
        guard let link = self[handle] else { return nil }
        slots[Int(handle)] = nil
        all.removeAll { $0 === link }
        return link
    }

    /// Removes and returns all links.
    func removeAll() -> [LELink] {
        for link in all { slots[Int(link.handle)] = nil }
        defer { all = [] }
        return all
    }
}
