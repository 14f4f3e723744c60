#if Programs
import Foundation

/// State of health of a person, as the hub answers it. It describes readings; it is no diagnosis.
package struct PersonState: Sendable, Encodable {
    /// A reading with its judgement.
    package struct LatestReading: Sendable, Encodable {
        /// Identifier of the reading.
        package var id: String
        /// Kind.
        package var kind: String
        /// When it was taken (RFC 3339).
        package var time: String
        /// One line: "142/88 mmHg".
        package var text: String
        /// Quantities by name, with the digits of the device.
        package var values: [String: StateQuantity]
        /// The device is simulated.
        package var simulated: Bool
        /// Judgement.
        package var judgement: Judgement
    }

    /// A number with its unit.
    package struct StateQuantity: Sendable, Encodable {
        /// The digits of the device; nil for a special value.
        package var value: Decimal?
        /// Name of the special value.
        package var special: String?
        /// Unit.
        package var unit: String
    }

    /// Means of a period.
    package struct Period: Sendable, Encodable {
        /// Length of the period, in days.
        package var days: Int
        /// Number of readings.
        package var count: Int
        /// Number of different days with a reading, in UTC.
        package var daysWithReadings: Int
        /// Means by quantity, in mmHg, mg/dL, kg, °C, % and beats per minute.
        package var mean: [String: Double]
        /// Change of the first quantity a day, by least squares; nil where the readings span less than two days.
        package var trendPerDay: Double?
        /// The last value of the first quantity minus the first one; nil for fewer than two readings.
        package var change: Double?
    }

    /// Means of a kind of reading.
    package struct Summary: Sendable, Encodable {
        /// Unit of the means.
        package var unit: String
        /// Periods of 7, 30 and 90 days.
        package var periods: [Period]
        /// Verdict on the mean of 7 days.
        package var verdict: Judgement?
        /// Means by time of day in the last 30 days; blood pressure only.
        package var byTimeOfDay: [String: Period]?
    }

    /// Statistics of continuous glucose monitoring (Battelino et al., Diabetes Care 2019;42:1593).
    package struct Glucose: Sendable, Encodable {
        /// Length of the period, in days.
        package var days: Int
        /// Number of values.
        package var count: Int
        /// Share of the values that a monitor with one value in 5 min gives, in percent.
        package var coverage: Double
        /// Mean, in mg/dL.
        package var mean: Double?
        /// Shares of the values, in percent: below 54, 54 to 69, 70 to 180, 181 to 250, above 250 mg/dL. Borders are
        /// those of the unit of each value.
        package var timeInRanges: [String: Double]?
        /// Coefficient of variation, in percent.
        package var coefficientOfVariation: Double?
        /// Glucose management indicator, in percent: 3.31 + 0.02392 × mean in mg/dL (Bergenstal et al., Diabetes Care
        /// 2018;41:2275).
        package var gmi: Double?
        /// The reason why figures are missing.
        package var reason: String?
    }

    /// A rule on several readings that calls for attention.
    package struct Notice: Sendable, Encodable {
        /// Slug.
        package var code: String
        /// The sentence.
        package var sentence: String
        /// The source.
        package var source: String
        /// It calls for action at once.
        package var urgent: Bool
    }

    /// Identifier of the person.
    package var person: String
    /// Name of the person.
    package var name: String
    /// The latest reading of each kind.
    package var latest: [LatestReading]
    /// Means by kind of reading.
    package var summaries: [String: Summary]
    /// Continuous glucose monitoring; nil where there is none.
    package var continuousGlucose: Glucose?
    /// What calls for attention, the urgent first.
    package var notices: [Notice]
    /// The person's targets with the latest values.
    package var targets: [TargetState] = []
    /// Kinds of readings of which one was expected by now.
    package var overdue: [Overdue] = []
    /// What this is and what it is not.
    package var disclaimer = Self.disclaimer

    /// The statement that every state carries.
    package static let disclaimer =
        "Harald is no medical device. It compares readings with published ranges; it does not diagnose. "
        + "Ask a doctor what they mean for you. In an emergency call the emergency number."
}
#endif
