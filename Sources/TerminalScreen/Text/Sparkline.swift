/// The latest values of a quantity as a sparkline.
package struct Sparkline: Hashable, Sendable {
    /// The maximum number of values.
    package let capacity: Int
    /// The values, oldest first.
    package private(set) var values: [Double] = []

    package init(capacity: Int = 24) { self.capacity = max(1, capacity) }

    /// Adds a value and removes the oldest if necessary. Values that are not finite are ignored.
    package mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        if values.count == capacity { values.removeFirst() }
        values.append(value)
    }

    /// One mark per value, scaled to the range of the values.
    package var text: String { Self.text(values) }

    /// Returns one mark per value, and a space for nil.
    /// - Parameters:
    ///   - range: the values of the lowest and the highest mark; nil for the range of `values`.
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
