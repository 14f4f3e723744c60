/// The last values of a sensor, drawn in one line.
struct Sparkline: Hashable, Sendable {
    private static let marks = Array("▁▂▃▄▅▆▇█")
    let capacity: Int
    private(set) var values: [Double] = []

    init(capacity: Int = 24) { self.capacity = capacity }

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        if values.count == capacity { values.removeFirst() }
        values.append(value)
    }

    /// One mark a value, the highest and the lowest at the edges.
    var text: String {
        guard let low = values.min(), let high = values.max() else { return "" }
        return String(
            values.map { value in
                let share = high > low ? (value - low) / (high - low) : 0.5
                return Self.marks[min(Int(share * Double(Self.marks.count)), Self.marks.count - 1)]
            })
    }
}
