import Foundation

/// A message with interpolated values. The values are evaluated when the message is written, and never if its level is
/// disabled.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    private let parts: [() -> String]

    /// A message without values.
    public init(stringLiteral value: String) { parts = [{ value }] }

    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { parts = stringInterpolation.parts }

    /// The message, with private values redacted.
    var text: String { parts.map { $0() }.joined() }
}

/// The text and the values of a message.
public struct OSLogInterpolation: StringInterpolationProtocol {
    var parts: [() -> String] = []

    /// An empty message.
    public init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(interpolationCount * 2 + 1) }

    /// Adds text.
    public mutating func appendLiteral(_ literal: String) { parts.append { literal } }

    /// Adds an integer.
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> Number, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { add(privacy) { align.aligned(format.text(number())) } }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Float, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { add(privacy) { align.aligned(format.text(Double(number()))) } }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Double, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { add(privacy) { align.aligned(format.text(number())) } }

    /// Adds a truth value.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth, privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) { add(privacy) { format.text(boolean()) } }

    /// Adds a text.
    public mutating func appendInterpolation(
        _ string: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { add(privacy) { align.aligned(string()) } }

    /// Adds the description of a value.
    public mutating func appendInterpolation<Value: CustomStringConvertible>(
        _ value: @autoclosure @escaping () -> Value, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { add(privacy) { align.aligned(value().description) } }

    /// Adds the name of a type.
    public mutating func appendInterpolation(
        _ type: @autoclosure @escaping () -> Any.Type, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { add(privacy) { align.aligned("\(type())") } }

    /// Adds an error, as it prints.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ error: @autoclosure @escaping () -> any Error, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { add(privacy) { "\(error())" } }

    private mutating func add(_ privacy: OSLogPrivacy, _ value: @escaping () -> String) {
        parts.append { privacy.shown(value) }
    }
}
