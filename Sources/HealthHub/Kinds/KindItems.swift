/// The kinds, quantities and units in JSON, from which pages derive names, plots and conversions.
package struct KindItems: Encodable, Sendable {
    private struct Kind: Encodable {
        let name: String
        let title: HubText
        /// The stored quantities. The first one decides the unit of the kind; trend and change are of it.
        let quantities: [String]
        let plot: Plot?
    }

    private struct Plot: Encodable {
        let form: String
        let quantities: [String]
    }

    private struct Quantity: Encodable {
        let name: String
        let label: HubText
        let units: [String]
    }

    /// A number of the unit of the statistics, times `factor` plus `zero`, is the number in the unit.
    private struct Unit: Encodable {
        let symbol: String
        let factor, zero: Double
        let decimals: Int
    }

    private let kinds = MeasurementKind.allCases.map { kind in
        let main = kind.mainQuantities.isEmpty ? kind.storedQuantities : kind.mainQuantities
        return Kind(
            name: kind.name, title: HubText(kind.title), quantities: kind.storedQuantities,
            plot: kind.plot.map { Plot(form: $0.rawValue, quantities: main) })
    }
    private let quantities = QuantityKind.all.map {
        Quantity(name: $0.name, label: HubText($0.label), units: $0.symbols)
    }
    private let units = MeasurementUnit.all.map { unit in
        let zero = unit.number(0)
        return Unit(
            symbol: unit.unit.symbol, factor: unit.number(1) - zero, zero: zero, decimals: unit.decimals)
    }

    /// Creates the JSON form of all kinds.
    package init() {}
}
