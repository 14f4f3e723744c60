extension ControllerAdvertisingSet {
    /// The parameters in the form that receivers evaluate for each packet.
    struct Traits {
        let isLegacy: Bool
        let isConnectable: Bool
        let isAnonymous: Bool
        let takesScanResponse: Bool
        /// The bit of the primary PHY.
        let layer: UInt8
        let isDirected: Bool
        let usesPrivateAddress: Bool
        let txPower: Int8

        init(_ parameters: ControllerAdvertisingParameters) {
            isLegacy = parameters.properties.contains(.legacy)
            isConnectable = parameters.properties.contains(.connectable)
            isAnonymous = parameters.properties.contains(.anonymous)
            takesScanResponse = parameters.properties.takesScanResponse
            layer = parameters.primaryPHY.bit
            isDirected = parameters.peer != nil
            usesPrivateAddress = parameters.privacyPeer != nil
            txPower = parameters.txPower
        }
    }
}
