/// The association models of pairing (Core 6.0, Vol 3, Part H, 2.3.5.1).
enum AssociationModel: Hashable {
    /// Just Works: no protection against MITM attacks.
    case justWorks
    /// Both devices display a number, and both users confirm that the numbers are equal.
    case numericComparison
    /// One device displays a passkey that is entered on the other; or the same passkey is entered on both.
    case passkey(PasskeyRoles)
    /// The devices exchanged data out of band.
    case outOfBand

    /// The devices that display and enter the passkey.
    enum PasskeyRoles: Hashable {
        case centralDisplays
        case peripheralDisplays
        case bothEnter

        /// Returns true if the device with this role enters the passkey, false if it displays it.
        func enters(_ role: LinkRole) -> Bool {
            switch self {
            case .bothEnter: true
            case .centralDisplays: role == .peripheral
            case .peripheralDisplays: role == .central
            }
        }
    }

    /// True if the model protects against MITM attacks.
    var isAuthenticated: Bool { self != .justWorks }

    /// Returns the association model for the features of both sides.
    static func selected(
        central: PairingFeatures, peripheral: PairingFeatures, isSecureConnections: Bool
    ) -> AssociationModel {
        let hasData = [central.hasOutOfBandData, peripheral.hasOutOfBandData]
        // Legacy pairing requires the same data on both sides; for LE Secure Connections data of one side suffices.
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

    /// Indexed by the capability of the peripheral, then of the central: DisplayOnly, DisplayYesNo, KeyboardOnly,
    /// NoInputNoOutput, KeyboardDisplay.
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
