import Foundation

/// The health state of a person, as answered by the hub. It describes readings and is no diagnosis.
package struct PersonState: Sendable, Encodable {
    package struct LatestReading: Sendable, Encodable {
        package var id: String
        package var kind: String
        /// The time of the measurement (RFC 3339).
        package var time: String
        /// The main quantities in one line: "142/88 mmHg".
        package var text: HubText
        /// The quantities by name, with the digits of the device.
        package var values: [String: StateQuantity]
        package var simulated: Bool
        package var judgement: Judgement
        /// False for a reading that does not count in means, such as one of a control solution.
        package var counted: Bool
        /// True for the context of a glucose measurement, which is no measurement of its own.
        package var glucoseContext: Bool
    }

    /// A number with its unit.
    package struct StateQuantity: Sendable, Encodable {
        /// The digits of the device; nil for a special value.
        package var value: Decimal?
        /// The name of the special value.
        package var special: String?
        package var unit: String
    }

    package struct Period: Sendable, Encodable {
        package var days: Int
        /// The number of readings.
        package var count: Int
        /// The number of different days with a reading, in the local time of the hub.
        package var daysWithReadings: Int
        /// The means by quantity, in mmHg, mg/dL, kg, °C, % and beats per minute.
        package var mean: [String: Double]
        /// The number of values of each mean: a scale may send a body mass index only with some weights.
        package var counts: [String: Int] = [:]
        /// The daily change of the first quantity, by least squares; nil if the readings span less than two days.
        package var trendPerDay: Double?
        /// The last value of the first quantity minus the first value; nil for fewer than two readings.
        package var change: Double?
    }

    /// The means of a kind of reading.
    package struct Summary: Sendable, Encodable {
        package var unit: String
        /// The periods of 7, 30 and 90 days.
        package var periods: [Period]
        /// The mean of the complete readings of 7 days, rounded as the verdict rounds it: "138/86 mmHg". Blood pressure
        /// only; nil if there is no complete reading.
        package var mean: HubText?
        package var verdict: Judgement?
        /// The means by time of day in the last 30 days; blood pressure only.
        package var byTimeOfDay: [String: Period]?
    }

    /// The statistics of continuous glucose monitoring (Battelino et al., Diabetes Care 2019;42:1593).
    package struct Glucose: Sendable, Encodable {
        /// The length of the period, in days.
        package var days: Int
        /// The number of values.
        package var count: Int
        /// The percentage of the time that the values cover, each for the usual interval of its monitor.
        package var coverage: Double
        /// The mean, in mg/dL.
        package var mean: Double?
        /// The percentages of values below 54, from 54 to 69, 70 to 180, 181 to 250, and above 250 mg/dL. Each value is
        /// compared with the borders of its own unit.
        package var timeInRanges: [String: Double]?
        /// The coefficient of variation, in percent.
        package var coefficientOfVariation: Double?
        /// The glucose management indicator, in percent: 3.31 + 0.02392 × mean in mg/dL (Bergenstal et al., Diabetes
        /// Care 2018;41:2275).
        package var gmi: Double?
        /// The reason why figures are missing.
        package var reason: HubText?
    }

    /// A notice that calls for attention.
    package struct Notice: Sendable, Encodable {
        package var code: String
        package var sentence: HubText
        /// The time of the measurement (RFC 3339).
        package var time: String
        package var source: String
        /// True if the notice requires immediate action.
        package var urgent: Bool
        package var acknowledged: Acknowledgement?
    }

    package var person, name: String
    /// The identifier of the hub's time zone, to which days and times of day refer: "Europe/Zurich".
    package var timeZone: String
    /// The latest reading of each kind.
    package var latest: [LatestReading]
    /// The means by kind of reading.
    package var summaries: [String: Summary]
    /// The statistics of continuous glucose monitoring; nil if there are none.
    package var continuousGlucose: Glucose?
    /// The notices, urgent ones first.
    package var notices: [Notice]
    /// The person's targets with the latest values.
    package var targets: [TargetState] = []
    /// The readings that wait for a decision.
    package var waiting: [WaitingReading] = []
    /// The kinds of readings that are overdue.
    package var overdue: [Overdue] = []
    /// A statement about the purpose and limits of this information.
    package var disclaimer = Self.disclaimer

    /// The statement that every state contains.
    package static let disclaimer: HubText =
        "Harald is not a medical device. It compares readings with published ranges; it does not diagnose. "
        + "No clinician has reviewed its texts. Ask a doctor what they mean for you. In an emergency call the "
        + "emergency number."
}
