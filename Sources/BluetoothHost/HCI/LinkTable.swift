/// The links of a host by their handles: found with one index, no hashing.
final class LinkTable {
    private var slots: [LELink?] = []
    /// Every link, in the order in which they came up.
    private(set) var all: [LELink] = []

    /// The link with a handle.
    @inline(__always)
    subscript(handle: UInt16) -> LELink? {
        let index = Int(handle)
        return index < slots.count ? slots[index] : nil
    }

    /// Adds a link whose handle, at most 0x0EFF, is free.
    func insert(_ link: LELink) {
        let index = Int(link.handle)
        if index >= slots.count { slots.append(contentsOf: repeatElement(nil, count: index + 1 - slots.count)) }
        slots[index] = link
        all.append(link)
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
        defer {
            all = []
            slots = []
        }
        return all
    }
}
