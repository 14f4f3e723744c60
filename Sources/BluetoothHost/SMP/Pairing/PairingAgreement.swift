import BluetoothModel

/// The result of a Pairing Request and its response, which is the same on both sides.
struct PairingAgreement: Hashable {
    let request: PairingFeatures
    let response: PairingFeatures
    let isSecureConnections: Bool
    let model: AssociationModel
    /// The encryption key size, 7 to 16 octets.
    let keySize: UInt8
    /// True if both sides store the keys.
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
        // A response cannot add keys to the request, and the key of LE Secure Connections is not distributed.
        let possible: KeyDistribution = isSecureConnections ? [.identity, .signing] : .all
        centralKeys = request.centralKeys.intersection(response.centralKeys).intersection(possible)
        peripheralKeys = request.peripheralKeys.intersection(response.peripheralKeys).intersection(possible)
    }

    var strength: KeyStrength {
        KeyStrength(
            isAuthenticated: model.isAuthenticated, isSecureConnections: isSecureConnections, keySize: keySize)
    }

    /// True if both sides support keypress notifications and a passkey is entered.
    var hasKeypresses: Bool {
        guard case .passkey = model else { return false }
        return request.requirements.intersection(response.requirements).contains(.keypress)
    }

    func features(of role: LinkRole) -> PairingFeatures { role == .central ? request : response }

    func keys(of role: LinkRole) -> KeyDistribution { role == .central ? centralKeys : peripheralKeys }
}

extension LinkRole {
    /// The role of the other side.
    var opposite: LinkRole { self == .central ? .peripheral : .central }
}
