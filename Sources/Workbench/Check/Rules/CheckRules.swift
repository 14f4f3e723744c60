extension CheckRule {
    /// All rules, in the order in which they are judged. Those that judge the log of all others are last.
    package static let all: [CheckRule] =
        advertisingRules + genericAccessRules + genericAttributeRules + structureRules + findRules + readRules
        + writeRules + exchangeRules + configurationRules + disclosureRules + linkRules + pairedRules
        + serviceRules + controlPointRules + bondRules + pairingModelRules + pairingRequestRules + hostileRules
        + logRules
}
