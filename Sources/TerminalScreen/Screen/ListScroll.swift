/// The selected row and the visible rows of a list.
package struct ListScroll: Hashable, Sendable {
    package private(set) var selected = 0
    package private(set) var first = 0

    package init() {}

    /// Selects a row.
    package mutating func select(_ row: Int) { selected = max(0, row) }

    /// Applies a key that moves the selection.
    /// - Returns: false for any other key.
    package mutating func apply(_ key: Key, count: Int, page: Int) -> Bool {
        let last = max(0, count - 1)
        switch key {
        case .up, .character("k"): selected -= 1
        case .down, .character("j"): selected += 1
        case .pageUp: selected -= max(1, page - 1)
        case .pageDown: selected += max(1, page - 1)
        case .home, .character("g"): selected = 0
        case .end, .character("G"): selected = last
        default: return false
        }
        selected = min(max(0, selected), last)
        return true
    }

    /// Returns the visible rows, scrolled to include the selected one.
    package mutating func window(count: Int, page: Int) -> Range<Int> {
        guard count > 0, page > 0 else { return 0..<0 }
        selected = min(selected, count - 1)
        first = min(max(first, selected - page + 1), selected)
        first = max(0, min(first, count - page))
        return first..<min(count, first + page)
    }
}
