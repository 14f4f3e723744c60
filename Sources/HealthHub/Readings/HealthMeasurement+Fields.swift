import BluetoothModel
import BluetoothProfiles
import Foundation

/// Measurements from decoded fields, those of octets or those that were sent.
extension HealthMeasurement {
    static let controlSolution = "control solution"
    static let enteredInError: HubText = "its sender has marked it as entered in error"
    static let unsuccessful: HubText = "the measurement was unsuccessful"
    /// The field with the reservation of a reading whose status was not sent, such as one from another hub.
    static let reservationField = "reservation"

    /// Creates a measurement from the fields of a record.
    /// - Parameter uuid: the characteristic, which decides the kind; the fields do if it is nil or unknown.
    init(_ fields: some DecodedFields, _ uuid: BluetoothUUID?) throws(ReadingProblem) {
        let sent = uuid.flatMap(MeasurementKind.of)
        // Other assigned characteristics have fields of the same names: a room's temperature, a cuff pressure during
        // the measurement.
        let isOther =
            sent == .other || sent == nil && uuid.map { AssignedNumbers.entry(of: $0)?.isStandard == true } ?? false
        self.init(kind: sent ?? (isOther ? .other : MeasurementKind.indicated(by: fields) ?? .other))
        isGlucoseContext = uuid == GlucoseMeasurementContext.uuid
        var seen: [String] = []
        for value in kind.allValues {
            guard let field = value.fields.first(where: fields.contains), !seen.contains(field) else { continue }
            seen.append(field)
            do {
                if let quantity = try fields.quantity(value.quantity, in: field) { quantities.append(quantity) }
            } catch {
                guard fields.isLenient else { throw error }
                reservation = error.text
                quantities.append(fields.unchecked(value.quantity, in: field))
            }
        }
        qualifiers = kind.qualifiers.compactMap(fields.name)
        for fault in kind.faults where fields.number(fault.field) & fault.mask != 0 { reservation = fault.reason }
        kind.complete(&self, fields)
        reservation = reservation ?? fields.text(Self.reservationField).map { HubText($0) }
        if reservation == nil, !isOther, let problem = impossibility {
            guard fields.isLenient else { throw ReadingProblem("fields: \(problem)") }
            reservation = problem
        }
        let absent = kind.mainQuantities.compactMap { self[$0] }.filter { $0.value == nil }
        isBeyondRange = reservation == nil && !absent.isEmpty && absent.allSatisfy { $0.isAboveRange != nil }
        reservation = reservation ?? failure
        try identify(fields)
    }

    /// Sets what identifies the measurement on the device.
    private mutating func identify(_ fields: some DecodedFields) throws(ReadingProblem) {
        for name in ["userID", "user"] {
            // 255 is an unknown user (Blood Pressure Service 1.1.1, 3.1.1.6).
            if let index = try fields.integer(name, in: 0...255), index != 255 { userIndex = index }
        }
        for name in ["sequenceNumber", "number"] {
            if let number = try fields.integer(name, in: 0...Int(Int32.max)) { sequenceNumber = number }
        }
        for name in ["timeStamp", "baseTime", "time"] { deviceTime = fields.time(name) ?? deviceTime }
        isClockUnset = fields.flag("deviceClockIsNotSet")
        // In minutes. It numbers the records of a continuous monitor, and may be negative in those of a meter.
        guard let offset = try fields.integer("timeOffset", in: -32768...65535) else { return }
        if kind == .continuousGlucose {
            sequenceNumber = offset
        } else if kind == .glucose, deviceTime?.isValid == true {
            // A date that does not exist stays one: the hub ignores it.
            deviceTime = deviceTime?.adding(seconds: Int64(offset) * 60)
        }
    }

    /// Marks a concentration without a number as beyond the range of the device, by bits of its status.
    mutating func mark(_ fields: any DecodedFields, _ status: String, above: UInt32, below: UInt32) {
        let bits = fields.number(status)
        guard bits & (above | below) != 0, self["glucose"]?.value == nil else { return }
        let unit = self["glucose"]?.unit ?? "mg/dL"
        quantities.removeAll { $0.name == "glucose" }
        quantities.insert(Quantity("glucose", nil, text: bits & above != 0 ? "+INF" : "-INF", unit: unit), at: 0)
    }

    // MARK: Values that do not count

    /// True if a control solution was measured, which is a check of the meter and no value of a person.
    package var isControlSolution: Bool { qualifiers.contains(Self.controlSolution) }

    /// True if the measurement counts in means and statistics: no reservation excludes it from judgement.
    package var isCounted: Bool { reservation == nil }

    /// The reason why the measurement failed: a main quantity is no number, or there is none; nil if it succeeded.
    private var failure: HubText? {
        for name in kind.mainQuantities {
            guard let quantity = self[name], quantity.value == nil else { continue }
            let isFailed = ["NaN", "not-a-number"].contains(quantity.text)
            return isFailed ? Self.unsuccessful : "\(QuantityKind.label(name)) is \(quantity.text.prefix(32))"
        }
        // A body mass index may be sent without a weight. A pulse alone is no measurement of pressure or saturation.
        let names = kind.storedQuantities.filter { $0 != "pulseRate" }
        if let first = kind.mainQuantities.first, names.allSatisfy({ self[$0]?.isUnknown ?? true }) {
            return "\(QuantityKind.label(first)) is missing"
        }
        return nil
    }

    /// The reason why no person can have the values; nil if they are possible.
    private var impossibility: HubText? {
        for quantity in quantities {
            if let problem = QuantityKind[quantity.name]?.problem(quantity) { return problem }
        }
        if let systolic = self["systolic"], let diastolic = self["diastolic"],
            let upper = systolic.canonical, let lower = diastolic.canonical, upper < lower
        {
            return """
                systolic (\(digits: String(systolic.text.prefix(32))) \(systolic.unit)) is below diastolic \
                (\(digits: String(diastolic.text.prefix(32))) \(diastolic.unit))
                """
        }
        return nil
    }

    // MARK: Special values

    /// The reasons of FHIR for an absent value (code system data-absent-reason).
    static let absentReasons: Set<String> = [
        "unknown", "asked-unknown", "temp-unknown", "not-asked", "asked-declined", "masked", "not-applicable",
        "unsupported", "as-text", "error", "not-a-number", "negative-infinity", "positive-infinity", "not-performed",
        "not-permitted",
    ]

    /// The names of special values: those of the decoder, and the reasons of FHIR for an absent value.
    private static let specials = Set(ProfileNumber.Special.allCases.map(\.rawValue)).union(absentReasons)

    /// Returns true for the name of a special value. Only these are stored, and shown in tables.
    static func isSpecial(_ name: String) -> Bool { specials.contains(name) }
}
