import BluetoothModel

/// The Glucose Measurement Context characteristic (Glucose Service 1.0.1, 3.2).
public struct GlucoseMeasurementContext: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A34"
    public static let forms = [
        "medication": FieldForm(units: [.kilograms: .milligrams, .litres: .millilitres]), "hbA1c": FieldForm("HbA1c"),
    ]

    /// The kind of a meal or drink.
    public struct Carbohydrate: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "breakfast", 2: "lunch", 3: "dinner", 4: "snack", 5: "drink", 6: "supper", 7: "brunch",
        ]
    }

    /// The relation of the measurement to a meal.
    public struct Meal: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "preprandial", 2: "postprandial", 3: "fasting", 4: "casual", 5: "bedtime",
        ]
    }

    /// The person who took the measurement.
    public struct Tester: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "self", 2: "health care professional", 3: "lab test", 15: "not available",
        ]
    }

    /// The health of the user.
    public struct Health: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "minor health issues", 2: "major health issues", 3: "during menses", 4: "under stress",
            5: "no health issues", 15: "not available",
        ]
    }

    /// The kind of a medication.
    public struct Medicine: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "rapid acting insulin", 2: "short acting insulin", 3: "intermediate acting insulin",
            4: "long acting insulin", 5: "pre-mixed insulin",
        ]
    }

    /// The carbohydrates that were consumed.
    public struct Carbohydrates: FieldGroup {
        public static let forms = ["carbohydrate": FieldForm(units: [.kilograms: .grams])]
        /// The kind of the meal.
        public var kind = Carbohydrate(rawValue: 0)
        /// The mass in kilograms.
        public var mass: ProfileNumber = 0
        public init() {}
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.code("carbohydrateID", &kind)
            try coder.number("carbohydrate", &mass, .sfloat, unit: .kilograms)
        }
    }

    /// The tester and the health of the user.
    public struct TesterAndHealth: FieldGroup {
        /// The person who took the measurement.
        public var tester = Tester(rawValue: 0)
        /// The health of the user.
        public var health = Health(rawValue: 0)
        public init() {}
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.nibbles("tester", &tester, "health", &health)
        }
    }

    /// Physical exercise.
    public struct Exercise: FieldGroup {
        /// The duration in seconds; 65535 (overrun) if it exceeds the field.
        public var duration: UInt16 = 0
        /// The intensity in percent.
        public var intensity: UInt8 = 0
        public init() {}
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.integer(
                "exerciseDuration", &duration, .uint16, unit: .seconds, specials: [0xFFFF: .overrun])
            try coder.integer("exerciseIntensity", &intensity, .uint8, unit: .percent)
        }
    }

    /// The sequence number of the measurement that the context belongs to.
    public var sequenceNumber: UInt16 = 0
    /// The extended flags, all of which are reserved; nil if absent.
    public var extendedFlags: UInt8?
    /// The carbohydrates that were consumed.
    public var carbohydrates: Carbohydrates?
    /// The relation of the measurement to a meal.
    public var meal: Meal?
    /// The tester and the health of the user.
    public var testerAndHealth: TesterAndHealth?
    /// Physical exercise.
    public var exercise: Exercise?
    /// The kind of the medication. Valid only with ``medication``.
    public var medicine = Medicine(rawValue: 0)
    /// The dose in kilograms or litres.
    public var medication: ProfileNumber?
    /// True if the dose is in litres, false for kilograms.
    public var isInLitres = false
    /// The glycated haemoglobin in percent.
    public var hbA1c: ProfileNumber?

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        var none = ReservedPart()
        try coder.flags(.uint8, known: 0xFF, &none)
        try coder.integer("sequenceNumber", &sequenceNumber, .uint16)
        try coder.integer("extendedFlags", &extendedFlags, .uint8, bit: 7)
        try coder.group(&carbohydrates, bit: 0)
        try coder.code("meal", &meal, bit: 1)
        try coder.group(&testerAndHealth, bit: 2)
        try coder.group(&exercise, bit: 3)
        isInLitres = coder.flag(5, when: isInLitres)
        if coder.flag(4, when: medication != nil) {
            var dose = medication ?? 0
            try coder.code("medicationID", &medicine)
            try coder.number("medication", &dose, .sfloat, unit: isInLitres ? .litres : .kilograms)
            medication = dose
        }
        try coder.number("hbA1c", &hbA1c, .sfloat, unit: .percent, bit: 6)
    }
}
