/// The commands and events of the specification without keys, which are shown as they are (Core 6.0, Vol 4, Part E, 7).
extension PacketLayouts {
    static let plainCommandText = """
        0401 Inquiry
        0402 Inquiry Cancel
        0403 Periodic Inquiry Mode
        0404 Exit Periodic Inquiry Mode
        0405 Create Connection
        0407 Add SCO Connection
        0408 Create Connection Cancel
        0409 Accept Connection Request
        040A Reject Connection Request
        040C Link Key Request Negative Reply
        040E PIN Code Request Negative Reply
        040F Change Connection Packet Type
        0411 Authentication Requested
        0413 Set Connection Encryption
        0415 Change Connection Link Key
        0417 Link Key Selection
        0419 Remote Name Request
        041A Remote Name Request Cancel
        041B Read Remote Supported Features
        041C Read Remote Extended Features
        041F Read Clock Offset
        0420 Read LMP Handle
        0428 Setup Synchronous Connection
        0429 Accept Synchronous Connection Request
        042A Reject Synchronous Connection Request
        042B IO Capability Request Reply
        042C User Confirmation Request Reply
        042D User Confirmation Request Negative Reply
        042F User Passkey Request Negative Reply
        0433 Remote OOB Data Request Negative Reply
        0434 IO Capability Request Negative Reply
        0437 Disconnect Physical Link
        0438 Create Logical Link
        0439 Accept Logical Link
        043A Disconnect Logical Link
        043B Logical Link Cancel
        043C Flow Spec Modify
        043D Enhanced Setup Synchronous Connection
        043E Enhanced Accept Synchronous Connection Request
        043F Truncated Page
        0440 Truncated Page Cancel
        0441 Set Connectionless Peripheral Broadcast
        0442 Set Connectionless Peripheral Broadcast Receive
        0443 Start Synchronization Train
        0444 Receive Synchronization Train
        0801 Hold Mode
        0803 Sniff Mode
        0804 Exit Sniff Mode
        0805 Park Mode
        0806 Exit Park Mode
        0807 QoS Setup
        0809 Role Discovery
        080B Switch Role
        080C Read Link Policy Settings
        080D Write Link Policy Settings
        080E Read Default Link Policy Settings
        080F Write Default Link Policy Settings
        0810 Flow Specification
        0811 Sniff Subrating
        0C05 Set Event Filter
        0C08 Flush
        0C09 Read PIN Type
        0C0A Write PIN Type
        0C0B Create New Unit Key
        0C0D Read Stored Link Key
        0C12 Delete Stored Link Key
        0C15 Read Connection Accept Timeout
        0C16 Write Connection Accept Timeout
        0C17 Read Page Timeout
        0C18 Write Page Timeout
        0C19 Read Scan Enable
        0C1A Write Scan Enable
        0C1B Read Page Scan Activity
        0C1C Write Page Scan Activity
        0C1D Read Inquiry Scan Activity
        0C1E Write Inquiry Scan Activity
        0C1F Read Authentication Enable
        0C20 Write Authentication Enable
        0C21 Read Encryption Mode
        0C22 Write Encryption Mode
        0C23 Read Class of Device
        0C24 Write Class of Device
        0C25 Read Voice Setting
        0C26 Write Voice Setting
        0C27 Read Automatic Flush Timeout
        0C28 Write Automatic Flush Timeout
        0C29 Read Num Broadcast Retransmissions
        0C2A Write Num Broadcast Retransmissions
        0C2B Read Hold Mode Activity
        0C2C Write Hold Mode Activity
        0C2E Read SCO Flow Control Enable
        0C2F Write SCO Flow Control Enable
        0C36 Read Link Supervision Timeout
        0C37 Write Link Supervision Timeout
        0C38 Read Number of Supported IAC
        0C39 Read Current IAC LAP
        0C3A Write Current IAC LAP
        0C3B Read Page Scan Period Mode
        0C3C Write Page Scan Period Mode
        0C3D Read Page Scan Mode
        0C3E Write Page Scan Mode
        0C3F Set AFH Host Channel Classification
        0C42 Read Inquiry Scan Type
        0C43 Write Inquiry Scan Type
        0C44 Read Inquiry Mode
        0C45 Write Inquiry Mode
        0C46 Read Page Scan Type
        0C47 Write Page Scan Type
        0C48 Read AFH Channel Assessment Mode
        0C49 Write AFH Channel Assessment Mode
        0C53 Refresh Encryption Key
        0C55 Read Simple Pairing Mode
        0C56 Write Simple Pairing Mode
        0C58 Read Inquiry Response Tx Power Level
        0C59 Write Inquiry Tx Power Level
        0C5A Read Default Erroneous Data Reporting
        0C5B Write Default Erroneous Data Reporting
        0C5F Enhanced Flush
        0C60 Send Keypress Notification
        0C61 Read Logical Link Accept Timeout
        0C62 Write Logical Link Accept Timeout
        0C64 Read Location Data
        0C65 Write Location Data
        0C66 Read Flow Control Mode
        0C67 Write Flow Control Mode
        0C68 Read Enhanced Transmit Power Level
        0C69 Read Best Effort Flush Timeout
        0C6A Write Best Effort Flush Timeout
        0C6B Short Range Mode
        0C6E Set MWS Channel Parameters
        0C6F Set External Frame Configuration
        0C70 Set MWS Signaling
        0C71 Set MWS Transport Layer
        0C72 Set MWS Scan Frequency Table
        0C73 Set MWS Pattern Configuration
        0C74 Set Reserved LT_ADDR
        0C75 Delete Reserved LT_ADDR
        0C76 Set Connectionless Peripheral Broadcast Data
        0C77 Read Synchronization Train Parameters
        0C78 Write Synchronization Train Parameters
        0C79 Read Secure Connections Host Support
        0C7A Write Secure Connections Host Support
        0C7E Read Extended Page Timeout
        0C7F Write Extended Page Timeout
        0C80 Read Extended Inquiry Length
        0C81 Write Extended Inquiry Length
        0C82 Set Ecosystem Base Interval
        0C83 Configure Data Path
        0C84 Set Min Encryption Key Size
        1007 Read Country Code
        100A Read Data Block Size
        100B Read Local Supported Codecs
        100C Read Local Simple Pairing Options
        100D Read Local Supported Codecs [v2]
        100E Read Local Supported Codec Capabilities
        100F Read Local Supported Controller Delay
        1401 Read Failed Contact Counter
        1402 Reset Failed Contact Counter
        1403 Read Link Quality
        1406 Read AFH Channel Map
        1407 Read Clock
        1408 Read Encryption Key Size
        1409 Read Local AMP Info
        140C Get MWS Transport Layer Configuration
        140D Set Triggered Clock Capture
        1801 Read Loopback Mode
        1802 Write Loopback Mode
        1803 Enable Device Under Test Mode
        1804 Write Simple Pairing Debug Mode
        180A Write Secure Connections Test Mode
        201D LE Receiver Test [v1]
        201E LE Transmitter Test [v1]
        201F LE Test End
        2033 LE Receiver Test [v2]
        2034 LE Transmitter Test [v2]
        2044 LE Periodic Advertising Create Sync
        2045 LE Periodic Advertising Create Sync Cancel
        2046 LE Periodic Advertising Terminate Sync
        2047 LE Add Device To Periodic Advertiser List
        2048 LE Remove Device From Periodic Advertiser List
        2049 LE Clear Periodic Advertiser List
        204A LE Read Periodic Advertiser List Size
        204F LE Receiver Test [v3]
        2050 LE Transmitter Test [v3]
        2051 LE Set Connectionless CTE Transmit Parameters
        2052 LE Set Connectionless CTE Transmit Enable
        2053 LE Set Connectionless IQ Sampling Enable
        2054 LE Set Connection CTE Receive Parameters
        2055 LE Set Connection CTE Transmit Parameters
        2056 LE Connection CTE Request Enable
        2057 LE Connection CTE Response Enable
        2058 LE Read Antenna Information
        2059 LE Set Periodic Advertising Receive Enable
        205A LE Periodic Advertising Sync Transfer
        205B LE Periodic Advertising Set Info Transfer
        205C LE Set Periodic Advertising Sync Transfer Parameters
        205D LE Set Default Periodic Advertising Sync Transfer Parameters
        205F LE Modify Sleep Clock Accuracy
        2061 LE Read ISO Tx Sync
        2062 LE Set CIG Parameters
        2063 LE Set CIG Parameters Test
        2064 LE Create CIS
        2065 LE Remove CIG
        2066 LE Accept CIS Request
        2067 LE Reject CIS Request
        206A LE Terminate BIG
        206C LE BIG Terminate Sync
        206D LE Request Peer SCA
        206E LE Setup ISO Data Path
        206F LE Remove ISO Data Path
        2070 LE ISO Transmit Test
        2071 LE ISO Receive Test
        2072 LE ISO Read Test Counters
        2073 LE ISO Test End
        2075 LE Read ISO Link Quality
        2076 LE Enhanced Read Transmit Power Level
        2077 LE Read Remote Transmit Power Level
        2078 LE Set Path Loss Reporting Parameters
        2079 LE Set Path Loss Reporting Enable
        207A LE Set Transmit Power Reporting Enable
        207B LE Transmitter Test [v4]
        207C LE Set Data Related Address Changes
        207D LE Set Default Subrate
        207E LE Subrate Request
        207F LE Set Extended Advertising Parameters [v2]
        2084 LE Set Periodic Sync Subevent
        2085 LE Extended Create Connection [v2]
        2086 LE Set Periodic Advertising Parameters [v2]
        2087 LE Read All Local Supported Features
        2088 LE Read All Remote Features
        2089 LE CS Read Local Supported Capabilities
        208A LE CS Read Remote Supported Capabilities
        208B LE CS Write Cached Remote Supported Capabilities
        208C LE CS Security Enable
        208D LE CS Set Default Settings
        208E LE CS Read Remote FAE Table
        208F LE CS Write Cached Remote FAE Table
        2090 LE CS Create Config
        2091 LE CS Remove Config
        2092 LE CS Set Channel Classification
        2093 LE CS Set Procedure Parameters
        2094 LE CS Procedure Enable
        2096 LE CS Test End
        2097 LE Set Host Feature [v2]
        2098 LE Add Device To Monitored Advertisers List
        2099 LE Remove Device From Monitored Advertisers List
        209A LE Clear Monitored Advertisers List
        209B LE Read Monitored Advertisers List Size
        209C LE Enable Monitoring Advertisers
        209D LE Frame Space Update
        """

    static let plainEventText = """
        01 Inquiry Complete
        02 Inquiry Result
        04 Connection Request
        06 Authentication Complete
        09 Change Connection Link Key Complete
        0A Link Key Selection Complete
        0B Read Remote Supported Features
        0D QoS Setup Complete
        11 Flush Occurred
        12 Role Change
        14 Mode Change
        16 PIN Code Request
        17 Link Key Request
        1B Max Slots Change
        1C Read Clock Offset Complete
        1D Connection Packet Type Changed
        1E QoS Violation
        1F Page Scan Mode Change
        20 Page Scan Repetition Mode Change
        21 Flow Specification Complete
        22 Inquiry Result With RSSI
        23 Read Remote Extended Features Complete
        2C Synchronous Connection Complete
        2D Synchronous Connection Changed
        2E Sniff Subrating
        31 IO Capability Request
        32 IO Capability Response
        34 User Passkey Request
        35 Remote OOB Data Request
        36 Simple Pairing Complete
        38 Link Supervision Timeout Changed
        39 Enhanced Flush Complete
        3C Keypress Notification
        3D Remote Host Supported Features Notification
        40 Physical Link Complete
        41 Channel Selected
        42 Disconnect Physical Link Complete
        43 Physical Link Loss Early Warning
        44 Physical Link Recovery
        45 Logical Link Complete
        46 Disconnect Logical Link Complete
        47 Flow Spec Modify Complete
        48 Number Of Completed Data Blocks
        4C Short Range Mode Change Complete
        4D AMP Status Change
        4E Triggered Clock Capture
        4F Synchronization Train Complete
        50 Synchronization Train Received
        51 Connectionless Peripheral Broadcast Receive
        52 Connectionless Peripheral Broadcast Timeout
        53 Truncated Page Complete
        54 Peripheral Page Response Timeout
        55 Connectionless Peripheral Broadcast Channel Map Change
        56 Inquiry Response Notification
        58 SAM Status Change
        """

    static let plainLowEnergyEventText = """
        11 LE Scan Timeout
        15 LE Connectionless IQ Report
        16 LE Connection IQ Report
        17 LE CTE Request Failed
        18 LE Periodic Advertising Sync Transfer Received
        19 LE CIS Established
        1A LE CIS Request
        1B LE Create BIG Complete
        1C LE Terminate BIG Complete
        1D LE BIG Sync Established
        1E LE BIG Sync Lost
        1F LE Request Peer SCA Complete
        20 LE Path Loss Threshold
        21 LE Transmit Power Reporting
        22 LE BIGInfo Advertising Report
        23 LE Subrate Change
        24 LE Periodic Advertising Sync Established [v2]
        26 LE Periodic Advertising Sync Transfer Received [v2]
        27 LE Periodic Advertising Subevent Data Request
        2A LE CIS Established [v2]
        2B LE Read All Remote Features Complete
        2C LE CS Read Remote Supported Capabilities Complete
        2D LE CS Read Remote FAE Table Complete
        2E LE CS Security Enable Complete
        2F LE CS Config Complete
        30 LE CS Procedure Enable Complete
        31 LE CS Subevent Result
        32 LE CS Subevent Result Continue
        33 LE CS Test End Complete
        34 LE Monitored Advertisers Report
        35 LE Frame Space Update Complete
        """
}
