#if Programs
import Foundation

/// The outcome of a reading in a transaction.
enum WrittenReading: Sendable {
    case refused(ReadingProblem)
    /// The reading was deleted with its person, and is not stored again.
    case forgotten
    /// The reading is in the store; `person` is the person to whom it belongs, nil if unassigned. The measurement and
    /// its time are the stored ones, which may differ from those that were sent with a known identifier.
    case kept(id: Int64, isNew: Bool, person: Person?, HealthMeasurement, taken: Date)
}

extension WrittenReading {
    /// The identifier of the person to whom the reading belongs; nil if unassigned or not stored.
    var owner: Int64? {
        if case .kept(_, _, let person, _, _) = self { return person?.id }
        return nil
    }

    var isNew: Bool {
        if case .kept(_, true, _, _, _) = self { return true }
        return false
    }
}
#endif
