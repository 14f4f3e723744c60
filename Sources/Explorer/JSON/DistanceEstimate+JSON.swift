import Harald

extension DistanceEstimate {
    /// The estimate as a JSON object.
    package var json: JSONValue {
        func rounded(_ metres: Double) -> JSONValue { .number((metres * 100).rounded() / 100) }
        return [
            "metres": rounded(metres), "from": rounded(range.lowerBound), "to": rounded(range.upperBound),
            "exponent": .number(exponent),
        ]
    }
}
