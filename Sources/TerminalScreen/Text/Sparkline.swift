/// The last values of something that changes, drawn in one line.
package struct Sparkline: Hashable, Sendable {
    /// The number of values that are kept.
    package let capacity: Int
    /// The values, the oldest first.
    package private(set) var values: [Double] = []

    package init(capacity: Int = 24) { self.capacity = max(1, capacity) }

    /// Adds a value; the oldest makes room. Values that are not finite are left out.
    package mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        if values.count == capacity { values.removeFirst() }
        values.append(value)
    }

    /// One mark a value, between the lowest and the highest of them.
    package var text: String { Self.text(values) }

    /// One mark a value, a space where there is none.
    /// - Parameters:
    ///   - range: the values at the lowest and the highest mark; nil for those of `values`.
    package static func text(
        _ values: [Double?], range: ClosedRange<Double>? = nil, glyphs: Glyphs = .unicode
    ) -> String {
        let finite = values.compactMap { $0 }.filter(\.isFinite)
        guard let least = finite.min(), let most = finite.max() else {
            return String(repeating: " ", count: values.count)
        }
        let (low, high) = (range?.lowerBound ?? least, range?.upperBound ?? most)
        let marks = glyphs.levels
        return String(
            values.map { value in
                guard let value, value.isFinite else { return " " }
                let share = high > low ? min(max((value - low) / (high - low), 0), 1) : 0.5
                return marks[min(Int(share * Double(marks.count)), marks.count - 1)]
            })
    }
}
