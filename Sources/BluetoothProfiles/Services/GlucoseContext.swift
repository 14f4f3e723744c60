import BluetoothModel

/// What else is known about a glucose measurement (Glucose Service 1.0.1, 3.2).
public struct GlucoseMeasurementContext: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A34"

    /// A kind of meal or drink.
    public struct Carbohydrate: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "breakfast", 2: "lunch", 3: "dinner", 4: "snack", 5: "drink", 6: "supper", 7: "brunch",
        ]
    }

    /// How the measurement lies to a meal.
    public struct Meal: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "preprandial", 2: "postprandial", 3: "fasting", 4: "casual", 5: "bedtime",
        ]
    }

    /// Who measured.
    public struct Tester: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "self", 2: "health care professional", 3: "lab test", 15: "not available",
        ]
    }

    /// How the user is.
    public struct Health: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "minor health issues", 2: "major health issues", 3: "during menses", 4: "under stress",
            5: "no health issues", 15: "not available",
        ]
    }

    /// A kind of medicine.
    public struct Medicine: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "rapid acting insulin", 2: "short acting insulin", 3: "intermediate acting insulin",
            4: "long acting insulin", 5: "pre-mixed insulin",
        ]
    }

    /// What was eaten.
    public struct Carbohydrates: FieldGroup {
        /// The kind of meal.
        public var kind = Carbohydrate(rawValue: 0)
        /// Kilograms.
        public var mass: ProfileNumber = 0
        /// Nothing is set yet.
        public init() {}
        /// Names the fields.
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.code("carbohydrateID", &kind)
            try coder.number("carbohydrate", &mass, .sfloat, unit: .kilograms)
        }
    }

    /// Who measured, and how the user is.
    public struct TesterAndHealth: FieldGroup {
        /// Who measured.
        public var tester = Tester(rawValue: 0)
        /// How the user is.
        public var health = Health(rawValue: 0)
        /// Nothing is set yet.
        public init() {}
        /// Names the fields.
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.nibbles("tester", &tester, "health", &health)
        }
    }

    /// How the user moved.
    public struct Exercise: FieldGroup {
        /// Seconds; 65535 (overrun) for more than the field can hold.
        public var duration: UInt16 = 0
        /// Percent.
        public var intensity: UInt8 = 0
        /// Nothing is set yet.
        public init() {}
        /// Names the fields.
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.integer(
                "exerciseDuration", &duration, .uint16, unit: .seconds, specials: [0xFFFF: .overrun])
            try coder.integer("exerciseIntensity", &intensity, .uint8, unit: .percent)
        }
    }

    /// Names the record that this belongs to.
    public var sequenceNumber: UInt16 = 0
    /// Flags that have no meaning yet; nil where there are none.
    public var extendedFlags: UInt8?
    /// What was eaten.
    public var carbohydrates: Carbohydrates?
    /// How the measurement lies to a meal.
    public var meal: Meal?
    /// Who measured, and how the user is.
    public var testerAndHealth: TesterAndHealth?
    /// How the user moved.
    public var exercise: Exercise?
    /// Which medicine was taken; counts where there is a dose.
    public var medicine = Medicine(rawValue: 0)
    /// How much of it, in kilograms or litres.
    public var medication: ProfileNumber?
    /// Whether the dose is in litres.
    public var isInLitres = false
    /// Percent of the haemoglobin.
    public var hbA1c: ProfileNumber?

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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
