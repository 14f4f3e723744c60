/// The properties of a command: its name, and its bit in the supported commands (Core 6.0, Vol 4, Part E, 6.27).
struct CommandEntry: Sendable {
    let opcode: HCIOpcode
    let octet: UInt8
    let bit: UInt8
    let name: String

    private init(_ opcode: HCIOpcode, _ octet: UInt8, _ bit: UInt8, _ name: String) {
        self.opcode = opcode
        self.octet = octet
        self.bit = bit
        self.name = name
    }

    /// All commands that this module defines.
    static let all: [CommandEntry] = [
        CommandEntry(.disconnect, 0, 5, "Disconnect"),
        CommandEntry(.readRemoteVersion, 2, 7, "Read Remote Version Information"),
        CommandEntry(.setEventMask, 5, 6, "Set Event Mask"),
        CommandEntry(.reset, 5, 7, "Reset"),
        CommandEntry(.writeLocalName, 7, 0, "Write Local Name"),
        CommandEntry(.readLocalName, 7, 1, "Read Local Name"),
        CommandEntry(.readTransmitPowerLevel, 10, 2, "Read Transmit Power Level"),
        CommandEntry(.setControllerToHostFlowControl, 10, 5, "Set Controller To Host Flow Control"),
        CommandEntry(.hostBufferSize, 10, 6, "Host Buffer Size"),
        CommandEntry(.hostNumberOfCompletedPackets, 10, 7, "Host Number Of Completed Packets"),
        CommandEntry(.setEventMaskPage2, 22, 2, "Set Event Mask Page 2"),
        CommandEntry(.readLEHostSupport, 24, 5, "Read LE Host Support"),
        CommandEntry(.writeLEHostSupport, 24, 6, "Write LE Host Support"),
        CommandEntry(.readAuthenticatedPayloadTimeout, 32, 4, "Read Authenticated Payload Timeout"),
        CommandEntry(.writeAuthenticatedPayloadTimeout, 32, 5, "Write Authenticated Payload Timeout"),
        CommandEntry(.readLocalVersion, 14, 3, "Read Local Version Information"),
        CommandEntry(.readLocalSupportedCommands, 14, 4, "Read Local Supported Commands"),
        CommandEntry(.readLocalSupportedFeatures, 14, 5, "Read Local Supported Features"),
        CommandEntry(.readLocalExtendedFeatures, 14, 6, "Read Local Extended Features"),
        CommandEntry(.readBufferSize, 14, 7, "Read Buffer Size"),
        CommandEntry(.readBDADDR, 15, 1, "Read BD_ADDR"),
        CommandEntry(.readRSSI, 15, 5, "Read RSSI"),
        CommandEntry(.leSetEventMask, 25, 0, "LE Set Event Mask"),
        CommandEntry(.leReadBufferSize, 25, 1, "LE Read Buffer Size [v1]"),
        CommandEntry(.leReadLocalSupportedFeatures, 25, 2, "LE Read Local Supported Features"),
        CommandEntry(.leSetRandomAddress, 25, 4, "LE Set Random Address"),
        CommandEntry(.leSetAdvertisingParameters, 25, 5, "LE Set Advertising Parameters"),
        CommandEntry(.leReadAdvertisingChannelTxPower, 25, 6, "LE Read Advertising Physical Channel Tx Power"),
        CommandEntry(.leSetAdvertisingData, 25, 7, "LE Set Advertising Data"),
        CommandEntry(.leSetScanResponseData, 26, 0, "LE Set Scan Response Data"),
        CommandEntry(.leSetAdvertisingEnable, 26, 1, "LE Set Advertising Enable"),
        CommandEntry(.leSetScanParameters, 26, 2, "LE Set Scan Parameters"),
        CommandEntry(.leSetScanEnable, 26, 3, "LE Set Scan Enable"),
        CommandEntry(.leCreateConnection, 26, 4, "LE Create Connection"),
        CommandEntry(.leCreateConnectionCancel, 26, 5, "LE Create Connection Cancel"),
        CommandEntry(.leReadAcceptListSize, 26, 6, "LE Read Filter Accept List Size"),
        CommandEntry(.leClearAcceptList, 26, 7, "LE Clear Filter Accept List"),
        CommandEntry(.leAddDeviceToAcceptList, 27, 0, "LE Add Device To Filter Accept List"),
        CommandEntry(.leRemoveDeviceFromAcceptList, 27, 1, "LE Remove Device From Filter Accept List"),
        CommandEntry(.leConnectionUpdate, 27, 2, "LE Connection Update"),
        CommandEntry(.leSetHostChannelClassification, 27, 3, "LE Set Host Channel Classification"),
        CommandEntry(.leReadChannelMap, 27, 4, "LE Read Channel Map"),
        CommandEntry(.leReadRemoteFeatures, 27, 5, "LE Read Remote Features Page 0"),
        CommandEntry(.leEncrypt, 27, 6, "LE Encrypt"),
        CommandEntry(.leRand, 27, 7, "LE Rand"),
        CommandEntry(.leEnableEncryption, 28, 0, "LE Enable Encryption"),
        CommandEntry(.leLongTermKeyRequestReply, 28, 1, "LE Long Term Key Request Reply"),
        CommandEntry(.leLongTermKeyRequestNegativeReply, 28, 2, "LE Long Term Key Request Negative Reply"),
        CommandEntry(.leReadSupportedStates, 28, 3, "LE Read Supported States"),
        CommandEntry(.leRemoteConnectionParameterRequestReply, 33, 4, "LE Remote Connection Parameter Request Reply"),
        CommandEntry(
            .leRemoteConnectionParameterRequestNegativeReply, 33, 5,
            "LE Remote Connection Parameter Request Negative Reply"),
        CommandEntry(.leSetDataLength, 33, 6, "LE Set Data Length"),
        CommandEntry(.leReadSuggestedDefaultDataLength, 33, 7, "LE Read Suggested Default Data Length"),
        CommandEntry(.leWriteSuggestedDefaultDataLength, 34, 0, "LE Write Suggested Default Data Length"),
        CommandEntry(.leReadLocalP256PublicKey, 34, 1, "LE Read Local P-256 Public Key"),
        CommandEntry(.leGenerateDHKey, 34, 2, "LE Generate DHKey [v1]"),
        CommandEntry(.leAddDeviceToResolvingList, 34, 3, "LE Add Device To Resolving List"),
        CommandEntry(.leRemoveDeviceFromResolvingList, 34, 4, "LE Remove Device From Resolving List"),
        CommandEntry(.leClearResolvingList, 34, 5, "LE Clear Resolving List"),
        CommandEntry(.leReadResolvingListSize, 34, 6, "LE Read Resolving List Size"),
        CommandEntry(.leReadPeerResolvableAddress, 34, 7, "LE Read Peer Resolvable Address"),
        CommandEntry(.leReadLocalResolvableAddress, 35, 0, "LE Read Local Resolvable Address"),
        CommandEntry(.leSetAddressResolutionEnable, 35, 1, "LE Set Address Resolution Enable"),
        CommandEntry(.leSetResolvablePrivateAddressTimeout, 35, 2, "LE Set Resolvable Private Address Timeout"),
        CommandEntry(.leReadMaximumDataLength, 35, 3, "LE Read Maximum Data Length"),
        CommandEntry(.leReadPHY, 35, 4, "LE Read PHY"),
        CommandEntry(.leSetDefaultPHY, 35, 5, "LE Set Default PHY"),
        CommandEntry(.leSetPHY, 35, 6, "LE Set PHY"),
        CommandEntry(.leSetAdvertisingSetRandomAddress, 36, 1, "LE Set Advertising Set Random Address"),
        CommandEntry(.leSetExtendedAdvertisingParameters, 36, 2, "LE Set Extended Advertising Parameters [v1]"),
        CommandEntry(.leSetExtendedAdvertisingData, 36, 3, "LE Set Extended Advertising Data"),
        CommandEntry(.leSetExtendedScanResponseData, 36, 4, "LE Set Extended Scan Response Data"),
        CommandEntry(.leSetExtendedAdvertisingEnable, 36, 5, "LE Set Extended Advertising Enable"),
        CommandEntry(.leReadMaximumAdvertisingDataLength, 36, 6, "LE Read Maximum Advertising Data Length"),
        CommandEntry(.leReadNumberOfSupportedAdvertisingSets, 36, 7, "LE Read Number of Supported Advertising Sets"),
        CommandEntry(.leRemoveAdvertisingSet, 37, 0, "LE Remove Advertising Set"),
        CommandEntry(.leClearAdvertisingSets, 37, 1, "LE Clear Advertising Sets"),
        CommandEntry(.leSetPeriodicAdvertisingParameters, 37, 2, "LE Set Periodic Advertising Parameters [v1]"),
        CommandEntry(.leSetPeriodicAdvertisingData, 37, 3, "LE Set Periodic Advertising Data"),
        CommandEntry(.leSetPeriodicAdvertisingEnable, 37, 4, "LE Set Periodic Advertising Enable"),
        CommandEntry(.leSetExtendedScanParameters, 37, 5, "LE Set Extended Scan Parameters"),
        CommandEntry(.leSetExtendedScanEnable, 37, 6, "LE Set Extended Scan Enable"),
        CommandEntry(.leExtendedCreateConnection, 37, 7, "LE Extended Create Connection [v1]"),
        CommandEntry(.leReadTransmitPower, 38, 7, "LE Read Transmit Power"),
        CommandEntry(.leReadRFPathCompensation, 39, 0, "LE Read RF Path Compensation"),
        CommandEntry(.leWriteRFPathCompensation, 39, 1, "LE Write RF Path Compensation"),
        CommandEntry(.leSetPrivacyMode, 39, 2, "LE Set Privacy Mode"),
        CommandEntry(.leGenerateDHKeyV2, 41, 2, "LE Generate DHKey [v2]"),
        CommandEntry(.leReadBufferSizeV2, 41, 5, "LE Read Buffer Size [v2]"),
        CommandEntry(.leSetHostFeature, 44, 1, "LE Set Host Feature [v1]"),
    ]

    /// All commands, by opcode.
    static let byOpcode = Dictionary(uniqueKeysWithValues: all.map { ($0.opcode, $0) })
}
