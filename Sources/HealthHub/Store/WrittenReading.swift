import Foundation

/// A record in the store. The measurement and its time are the stored ones, which may differ from those that were sent
/// with a known identifier.
struct KeptRecord: Sendable {
    let id: Int64
    /// True if the record was stored now.
    let isNew: Bool
    /// The person to whom it belongs; nil if unassigned.
    let person: Person?
    let measurement: HealthMeasurement
    let taken: Date
}

/// The outcome of a reading in a transaction.
enum WrittenReading: Sendable {
    case refused(ReadingProblem)
    /// The reading was deleted with its person, and is not stored again.
    case forgotten
    /// The records of the reading are in the store: at least one, and several only of a continuous glucose monitor.
    case kept([KeptRecord])
}

extension WrittenReading {
    /// The identifier of the person to whom the reading belongs; nil if unassigned or not stored.
    var owner: Int64? {
        if case .kept(let records) = self { return records.first?.person?.id }
        return nil
    }
}
