extension CheckRule {
    /// All rules in the order of their execution. Rules that judge the log of the others are last.
    package static let all: [CheckRule] =
        advertisingRules + genericAccessRules + genericAttributeRules + structureRules + findRules + readRules
        + writeRules + effectRules + preparedWriteRules + exchangeRules + configurationRules + valueRules
        + disclosureRules + linkRules + pairedRules + serviceRules + controlPointRules + bondRules + repairRules
        + pairingRequestRules
        + pairingModelRules + authenticatedRepairRules + hostileRules
        + logRules
}
