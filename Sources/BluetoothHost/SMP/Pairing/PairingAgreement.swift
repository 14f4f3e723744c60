import BluetoothModel

/// What follows from a Pairing Request and its response, the same on both sides.
struct PairingAgreement: Hashable {
    let request: PairingFeatures
    let response: PairingFeatures
    let isSecureConnections: Bool
    let model: AssociationModel
    /// 7 to 16 octets.
    let keySize: UInt8
    /// Whether both sides keep the keys.
    let isBonding: Bool
    let centralKeys: KeyDistribution
    let peripheralKeys: KeyDistribution

    init(request: PairingFeatures, response: PairingFeatures) {
        self.request = request
        self.response = response
        let both = request.requirements.intersection(response.requirements)
        isSecureConnections = both.contains(.secureConnections)
        model = AssociationModel.selected(
            central: request, peripheral: response, isSecureConnections: isSecureConnections)
        keySize = min(request.maximumKeySize, response.maximumKeySize)
        isBonding = request.requirements.isBonding && response.requirements.isBonding
        // A response cannot add to the request; and the key of LE Secure Connections is not handed over.
        let possible: KeyDistribution = isSecureConnections ? [.identity, .signing] : .all
        centralKeys = request.centralKeys.intersection(response.centralKeys).intersection(possible)
        peripheralKeys = request.peripheralKeys.intersection(response.peripheralKeys).intersection(possible)
    }

    var strength: KeyStrength {
        KeyStrength(
            isAuthenticated: model.isAuthenticated, isSecureConnections: isSecureConnections, keySize: keySize)
    }

    /// Whether both sides tell what their users do while entering a passkey.
    var hasKeypresses: Bool {
        guard case .passkey = model else { return false }
        return request.requirements.intersection(response.requirements).contains(.keypress)
    }

    func features(of role: LinkRole) -> PairingFeatures { role == .central ? request : response }

    func keys(of role: LinkRole) -> KeyDistribution { role == .central ? centralKeys : peripheralKeys }
}

extension LinkRole {
    /// The other side's.
    var opposite: LinkRole { self == .central ? .peripheral : .central }
}
