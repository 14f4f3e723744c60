extension HCIOpcode {
    // MARK: Link control commands (Core 6.0, Vol 4, Part E, 7.1)

    /// Disconnect (7.1.6).
    package static let disconnect = HCIOpcode(rawValue: 0x0406)
    /// Read Remote Version Information (7.1.23).
    package static let readRemoteVersion = HCIOpcode(rawValue: 0x041D)

    // MARK: Controller and baseband commands (Core 6.0, Vol 4, Part E, 7.3)

    /// Set Event Mask (7.3.1).
    package static let setEventMask = HCIOpcode(rawValue: 0x0C01)
    /// Reset (7.3.2).
    package static let reset = HCIOpcode(rawValue: 0x0C03)
    /// Write Local Name (7.3.11).
    package static let writeLocalName = HCIOpcode(rawValue: 0x0C13)
    /// Read Local Name (7.3.12).
    package static let readLocalName = HCIOpcode(rawValue: 0x0C14)
    /// Read Transmit Power Level (7.3.35).
    package static let readTransmitPowerLevel = HCIOpcode(rawValue: 0x0C2D)
    /// Set Controller To Host Flow Control (7.3.38).
    package static let setControllerToHostFlowControl = HCIOpcode(rawValue: 0x0C31)
    /// Host Buffer Size (7.3.39).
    package static let hostBufferSize = HCIOpcode(rawValue: 0x0C33)
    /// Host Number Of Completed Packets (7.3.40).
    package static let hostNumberOfCompletedPackets = HCIOpcode(rawValue: 0x0C35)
    /// Set Event Mask Page 2 (7.3.69).
    package static let setEventMaskPage2 = HCIOpcode(rawValue: 0x0C63)
    /// Read LE Host Support (7.3.78).
    package static let readLEHostSupport = HCIOpcode(rawValue: 0x0C6C)
    /// Write LE Host Support (7.3.79).
    package static let writeLEHostSupport = HCIOpcode(rawValue: 0x0C6D)
    /// Read Authenticated Payload Timeout (7.3.93).
    package static let readAuthenticatedPayloadTimeout = HCIOpcode(rawValue: 0x0C7B)
    /// Write Authenticated Payload Timeout (7.3.94).
    package static let writeAuthenticatedPayloadTimeout = HCIOpcode(rawValue: 0x0C7C)

    // MARK: Informational parameters (Core 6.0, Vol 4, Part E, 7.4)

    /// Read Local Version Information (7.4.1).
    package static let readLocalVersion = HCIOpcode(rawValue: 0x1001)
    /// Read Local Supported Commands (7.4.2).
    package static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)
    /// Read Local Supported Features (7.4.3).
    package static let readLocalSupportedFeatures = HCIOpcode(rawValue: 0x1003)
    /// Read Local Extended Features (7.4.4).
    package static let readLocalExtendedFeatures = HCIOpcode(rawValue: 0x1004)
    /// Read Buffer Size (7.4.5).
    package static let readBufferSize = HCIOpcode(rawValue: 0x1005)
    /// Read BD_ADDR (7.4.6).
    package static let readBDADDR = HCIOpcode(rawValue: 0x1009)

    // MARK: Status parameters (Core 6.0, Vol 4, Part E, 7.5)

    /// Read RSSI (7.5.4).
    package static let readRSSI = HCIOpcode(rawValue: 0x1405)

    // MARK: LE controller commands (Core 6.0, Vol 4, Part E, 7.8)

    /// LE Set Event Mask (7.8.1).
    package static let leSetEventMask = HCIOpcode(rawValue: 0x2001)
    /// LE Read Buffer Size [v1] (7.8.2).
    package static let leReadBufferSize = HCIOpcode(rawValue: 0x2002)
    /// LE Read Local Supported Features (7.8.3).
    package static let leReadLocalSupportedFeatures = HCIOpcode(rawValue: 0x2003)
    /// LE Set Random Address (7.8.4).
    package static let leSetRandomAddress = HCIOpcode(rawValue: 0x2005)
    /// LE Set Advertising Parameters (7.8.5).
    package static let leSetAdvertisingParameters = HCIOpcode(rawValue: 0x2006)
    /// LE Read Advertising Physical Channel Tx Power (7.8.6).
    package static let leReadAdvertisingChannelTxPower = HCIOpcode(rawValue: 0x2007)
    /// LE Set Advertising Data (7.8.7).
    package static let leSetAdvertisingData = HCIOpcode(rawValue: 0x2008)
    /// LE Set Scan Response Data (7.8.8).
    package static let leSetScanResponseData = HCIOpcode(rawValue: 0x2009)
    /// LE Set Advertising Enable (7.8.9).
    package static let leSetAdvertisingEnable = HCIOpcode(rawValue: 0x200A)
    /// LE Set Scan Parameters (7.8.10).
    package static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)
    /// LE Set Scan Enable (7.8.11).
    package static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)
    /// LE Create Connection (7.8.12).
    package static let leCreateConnection = HCIOpcode(rawValue: 0x200D)
    /// LE Create Connection Cancel (7.8.13).
    package static let leCreateConnectionCancel = HCIOpcode(rawValue: 0x200E)
    /// LE Read Filter Accept List Size (7.8.14).
    package static let leReadAcceptListSize = HCIOpcode(rawValue: 0x200F)
    /// LE Clear Filter Accept List (7.8.15).
    package static let leClearAcceptList = HCIOpcode(rawValue: 0x2010)
    /// LE Add Device To Filter Accept List (7.8.16).
    package static let leAddDeviceToAcceptList = HCIOpcode(rawValue: 0x2011)
    /// LE Remove Device From Filter Accept List (7.8.17).
    package static let leRemoveDeviceFromAcceptList = HCIOpcode(rawValue: 0x2012)
    /// LE Connection Update (7.8.18).
    package static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
    /// LE Set Host Channel Classification (7.8.19).
    package static let leSetHostChannelClassification = HCIOpcode(rawValue: 0x2014)
    /// LE Read Channel Map (7.8.20).
    package static let leReadChannelMap = HCIOpcode(rawValue: 0x2015)
    /// LE Read Remote Features Page 0 (7.8.21).
    package static let leReadRemoteFeatures = HCIOpcode(rawValue: 0x2016)
    /// LE Encrypt (7.8.22).
    package static let leEncrypt = HCIOpcode(rawValue: 0x2017)
    /// LE Rand (7.8.23).
    package static let leRand = HCIOpcode(rawValue: 0x2018)
    /// LE Enable Encryption (7.8.24).
    package static let leEnableEncryption = HCIOpcode(rawValue: 0x2019)
    /// LE Long Term Key Request Reply (7.8.25).
    package static let leLongTermKeyRequestReply = HCIOpcode(rawValue: 0x201A)
    /// LE Long Term Key Request Negative Reply (7.8.26).
    package static let leLongTermKeyRequestNegativeReply = HCIOpcode(rawValue: 0x201B)
    /// LE Read Supported States (7.8.27).
    package static let leReadSupportedStates = HCIOpcode(rawValue: 0x201C)
    /// LE Remote Connection Parameter Request Reply (7.8.31).
    package static let leRemoteConnectionParameterRequestReply = HCIOpcode(rawValue: 0x2020)
    /// LE Remote Connection Parameter Request Negative Reply (7.8.32).
    package static let leRemoteConnectionParameterRequestNegativeReply = HCIOpcode(rawValue: 0x2021)
    /// LE Set Data Length (7.8.33).
    package static let leSetDataLength = HCIOpcode(rawValue: 0x2022)
    /// LE Read Suggested Default Data Length (7.8.34).
    package static let leReadSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2023)
    /// LE Write Suggested Default Data Length (7.8.35).
    package static let leWriteSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2024)
    /// LE Read Local P-256 Public Key (7.8.36).
    package static let leReadLocalP256PublicKey = HCIOpcode(rawValue: 0x2025)
    /// LE Generate DHKey [v1] (7.8.37).
    package static let leGenerateDHKey = HCIOpcode(rawValue: 0x2026)
    /// LE Add Device To Resolving List (7.8.38).
    package static let leAddDeviceToResolvingList = HCIOpcode(rawValue: 0x2027)
    /// LE Remove Device From Resolving List (7.8.39).
    package static let leRemoveDeviceFromResolvingList = HCIOpcode(rawValue: 0x2028)
    /// LE Clear Resolving List (7.8.40).
    package static let leClearResolvingList = HCIOpcode(rawValue: 0x2029)
    /// LE Read Resolving List Size (7.8.41).
    package static let leReadResolvingListSize = HCIOpcode(rawValue: 0x202A)
    /// LE Read Peer Resolvable Address (7.8.42).
    package static let leReadPeerResolvableAddress = HCIOpcode(rawValue: 0x202B)
    /// LE Read Local Resolvable Address (7.8.43).
    package static let leReadLocalResolvableAddress = HCIOpcode(rawValue: 0x202C)
    /// LE Set Address Resolution Enable (7.8.44).
    package static let leSetAddressResolutionEnable = HCIOpcode(rawValue: 0x202D)
    /// LE Set Resolvable Private Address Timeout (7.8.45).
    package static let leSetResolvablePrivateAddressTimeout = HCIOpcode(rawValue: 0x202E)
    /// LE Read Maximum Data Length (7.8.46).
    package static let leReadMaximumDataLength = HCIOpcode(rawValue: 0x202F)
    /// LE Read PHY (7.8.47).
    package static let leReadPHY = HCIOpcode(rawValue: 0x2030)
    /// LE Set Default PHY (7.8.48).
    package static let leSetDefaultPHY = HCIOpcode(rawValue: 0x2031)
    /// LE Set PHY (7.8.49).
    package static let leSetPHY = HCIOpcode(rawValue: 0x2032)
    /// LE Set Advertising Set Random Address (7.8.52).
    package static let leSetAdvertisingSetRandomAddress = HCIOpcode(rawValue: 0x2035)
    /// LE Set Extended Advertising Parameters [v1] (7.8.53).
    package static let leSetExtendedAdvertisingParameters = HCIOpcode(rawValue: 0x2036)
    /// LE Set Extended Advertising Data (7.8.54).
    package static let leSetExtendedAdvertisingData = HCIOpcode(rawValue: 0x2037)
    /// LE Set Extended Scan Response Data (7.8.55).
    package static let leSetExtendedScanResponseData = HCIOpcode(rawValue: 0x2038)
    /// LE Set Extended Advertising Enable (7.8.56).
    package static let leSetExtendedAdvertisingEnable = HCIOpcode(rawValue: 0x2039)
    /// LE Read Maximum Advertising Data Length (7.8.57).
    package static let leReadMaximumAdvertisingDataLength = HCIOpcode(rawValue: 0x203A)
    /// LE Read Number of Supported Advertising Sets (7.8.58).
    package static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(rawValue: 0x203B)
    /// LE Remove Advertising Set (7.8.59).
    package static let leRemoveAdvertisingSet = HCIOpcode(rawValue: 0x203C)
    /// LE Clear Advertising Sets (7.8.60).
    package static let leClearAdvertisingSets = HCIOpcode(rawValue: 0x203D)
    /// LE Set Periodic Advertising Parameters [v1] (7.8.61).
    package static let leSetPeriodicAdvertisingParameters = HCIOpcode(rawValue: 0x203E)
    /// LE Set Periodic Advertising Data (7.8.62).
    package static let leSetPeriodicAdvertisingData = HCIOpcode(rawValue: 0x203F)
    /// LE Set Periodic Advertising Enable (7.8.63).
    package static let leSetPeriodicAdvertisingEnable = HCIOpcode(rawValue: 0x2040)
    /// LE Set Extended Scan Parameters (7.8.64).
    package static let leSetExtendedScanParameters = HCIOpcode(rawValue: 0x2041)
    /// LE Set Extended Scan Enable (7.8.65).
    package static let leSetExtendedScanEnable = HCIOpcode(rawValue: 0x2042)
    /// LE Extended Create Connection [v1] (7.8.66).
    package static let leExtendedCreateConnection = HCIOpcode(rawValue: 0x2043)
    /// LE Read Transmit Power (7.8.74).
    package static let leReadTransmitPower = HCIOpcode(rawValue: 0x204B)
    /// LE Read RF Path Compensation (7.8.75).
    package static let leReadRFPathCompensation = HCIOpcode(rawValue: 0x204C)
    /// LE Write RF Path Compensation (7.8.76).
    package static let leWriteRFPathCompensation = HCIOpcode(rawValue: 0x204D)
    /// LE Set Privacy Mode (7.8.77).
    package static let leSetPrivacyMode = HCIOpcode(rawValue: 0x204E)
    /// LE Generate DHKey [v2] (7.8.37).
    package static let leGenerateDHKeyV2 = HCIOpcode(rawValue: 0x205E)
    /// LE Read Buffer Size [v2] (7.8.2).
    package static let leReadBufferSizeV2 = HCIOpcode(rawValue: 0x2060)
    /// LE Set Host Feature [v1] (7.8.115).
    package static let leSetHostFeature = HCIOpcode(rawValue: 0x2074)
}
