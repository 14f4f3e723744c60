/// How two devices make sure that they pair with each other (Core 6.0, Vol 3, Part H, 2.3.5.1).
enum AssociationModel: Hashable {
    /// They do not: anybody in the middle could have joined in.
    case justWorks
    /// Both show a number, and both users say that it is the same.
    case numericComparison
    /// One side shows a number, which is entered at the other; or both enter the same.
    case passkey(PasskeyRoles)
    /// Something came over another way than this radio.
    case outOfBand

    /// Who shows the passkey.
    enum PasskeyRoles: Hashable {
        case centralDisplays
        case peripheralDisplays
        case bothEnter

        /// Whether the side with this role enters the number, rather than showing it.
        func enters(_ role: LinkRole) -> Bool {
            switch self {
            case .bothEnter: true
            case .centralDisplays: role == .peripheral
            case .peripheralDisplays: role == .central
            }
        }
    }

    /// Whether the users vouch for the key.
    var isAuthenticated: Bool { self != .justWorks }

    /// What two sides use.
    static func selected(
        central: PairingFeatures, peripheral: PairingFeatures, isSecureConnections: Bool
    ) -> AssociationModel {
        let hasData = [central.hasOutOfBandData, peripheral.hasOutOfBandData]
        // Legacy pairing needs the same data on both sides; otherwise one direction is enough.
        if isSecureConnections ? hasData.contains(true) : !hasData.contains(false) { return .outOfBand }
        let wishes = central.requirements.union(peripheral.requirements)
        guard wishes.contains(.mitm) else { return .justWorks }
        let table = isSecureConnections ? secureConnections : legacy
        return table[Int(peripheral.capability.rawValue)][Int(central.capability.rawValue)]
    }

    // MARK: Table 2.8

    private static let none = AssociationModel.justWorks, compare = AssociationModel.numericComparison
    private static let central = AssociationModel.passkey(.centralDisplays)
    private static let peripheral = AssociationModel.passkey(.peripheralDisplays)
    private static let both = AssociationModel.passkey(.bothEnter)

    /// By the peripheral's capability, then by the central's: display only, display with yes and no, keyboard only,
    /// neither, keyboard and display.
    private static let legacy: [[AssociationModel]] = [
        [none, none, peripheral, none, peripheral],
        [none, none, peripheral, none, peripheral],
        [central, central, both, none, central],
        [none, none, none, none, none],
        [central, central, peripheral, none, central],
    ]

    private static let secureConnections: [[AssociationModel]] = [
        [none, none, peripheral, none, peripheral],
        [none, compare, peripheral, none, compare],
        [central, central, both, none, central],
        [none, none, none, none, none],
        [central, compare, peripheral, none, compare],
    ]
}
