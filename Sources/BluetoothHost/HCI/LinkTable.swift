/// The links of a host by their handles: found with one index, no hashing.
final class LinkTable {
    /// Handles are 0 to 0x0EFF (Core 6.0, Vol 4, Part E, 5.4.2).
    private static let capacity = 0x0F00

    /// Not owned: whatever is here is in ``all`` too, which keeps it. Plain memory, because each packet looks here.
    private let slots: UnsafeMutablePointer<Unmanaged<LELink>?>
    /// Every link, in the order in which they came up.
    private(set) var all: [LELink] = []

    init() {
        slots = .allocate(capacity: Self.capacity)
        slots.initialize(repeating: nil, count: Self.capacity)
    }

    deinit { slots.deallocate() }

    /// The link with a handle.
    @inline(__always)
    subscript(handle: UInt16) -> LELink? {
        let index = Int(handle)
        return index < Self.capacity ? slots[index]?.takeUnretainedValue() : nil
    }

    /// Adds a link whose handle, at most 0x0EFF, is free.
    func insert(_ link: LELink) {
        precondition(Int(link.handle) < Self.capacity, "a handle is at most 0x0EFF")
        all.append(link)
        slots[Int(link.handle)] = .passUnretained(link)
    }

    /// Takes a link out.
    func remove(_ handle: UInt16) -> LELink? {
        guard let link = self[handle] else { return nil }
        slots[Int(handle)] = nil
        all.removeAll { $0 === link }
        return link
    }

    /// Takes every link out.
    func removeAll() -> [LELink] {
        for link in all { slots[Int(link.handle)] = nil }
        defer { all = [] }
        return all
    }
}
