import BluetoothModel

/// A service of the Bluetooth SIG, with its characteristics and their properties.
struct StandardService: Sendable {
    struct Item: Sendable {
        var uuid: BluetoothUUID
        var isMandatory: Bool
        /// The mandatory properties; `may` has the optional ones.
        var must: UInt8
        var may: UInt8

        /// A mandatory characteristic.
        static func m(_ uuid: BluetoothUUID, _ must: UInt8, _ may: UInt8 = 0) -> Item {
            Item(uuid: uuid, isMandatory: true, must: must, may: may)
        }

        /// An optional or conditional characteristic.
        static func o(_ uuid: BluetoothUUID, _ must: UInt8, _ may: UInt8 = 0) -> Item {
            Item(uuid: uuid, isMandatory: false, must: must, may: may)
        }
    }

    var prefix: String
    var uuid: BluetoothUUID
    var name: String
    /// The name of the specification.
    var document: String
    var items: [Item]
    /// True if a device may have the service only once.
    var isSingle = true
    /// True if the library decodes a value of the service.
    var hasValues = true
    /// The characteristics of which a device must have at least one.
    var oneOf: [BluetoothUUID] = []

    private static let r: UInt8 = 0x02, wn: UInt8 = 0x04, w: UInt8 = 0x08, n: UInt8 = 0x10, i: UInt8 = 0x20

    static let all: [StandardService] = [
        .init(
            prefix: "hrs", uuid: 0x180D, name: "Heart Rate", document: "HRS 1.0, 3",
            items: [.m(0x2A37, n), .o(0x2A38, r), .o(0x2A39, w)]),
        .init(
            prefix: "bas", uuid: 0x180F, name: "Battery", document: "BAS 1.1, 3", items: [.m(0x2A19, r, n)],
            isSingle: false),
        .init(
            prefix: "dis", uuid: 0x180A, name: "Device Information", document: "DIS 1.1, 3",
            items: [0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50].map { .o($0, r) }),
        .init(
            prefix: "hts", uuid: 0x1809, name: "Health Thermometer", document: "HTS 1.0, 3",
            items: [.m(0x2A1C, i), .o(0x2A1D, r), .o(0x2A1E, n), .o(0x2A21, r, i | w)]),
        .init(
            prefix: "bls", uuid: 0x1810, name: "Blood Pressure", document: "BLS 1.1, 3",
            items: [.m(0x2A35, i), .o(0x2A36, n), .m(0x2A49, r, i)]),
        .init(
            prefix: "gls", uuid: 0x1808, name: "Glucose", document: "GLS 1.0, 3",
            items: [.m(0x2A18, n), .o(0x2A34, n), .m(0x2A51, r, i), .m(0x2A52, w | i)]),
        .init(
            prefix: "cgms", uuid: 0x181F, name: "Continuous Glucose Monitoring", document: "CGMS 1.0, 3",
            items: [
                .m(0x2AA7, n), .m(0x2AA8, r, i), .m(0x2AA9, r), .m(0x2AAA, r, w), .m(0x2AAB, r), .m(0x2A52, w | i),
                .m(0x2AAC, w | i),
            ]),
        .init(
            prefix: "wss", uuid: 0x181D, name: "Weight Scale", document: "WSS 1.0, 3",
            items: [.m(0x2A9D, i), .m(0x2A9E, r, i)]),
        .init(
            prefix: "bcs", uuid: 0x181B, name: "Body Composition", document: "BCS 1.0, 3",
            items: [.m(0x2A9B, r, i), .m(0x2A9C, i)]),
        .init(
            prefix: "plxs", uuid: 0x1822, name: "Pulse Oximeter", document: "PLXS 1.0, 3",
            items: [.o(0x2A5E, i), .o(0x2A5F, n), .m(0x2A60, r, i), .o(0x2A52, w | i)], oneOf: [0x2A5E, 0x2A5F]),
        .init(
            prefix: "cscs", uuid: 0x1816, name: "Cycling Speed and Cadence", document: "CSCS 1.0, 3",
            items: [.m(0x2A5B, n), .m(0x2A5C, r), .o(0x2A5D, r), .o(0x2A55, w | i)]),
        .init(
            prefix: "rscs", uuid: 0x1814, name: "Running Speed and Cadence", document: "RSCS 1.0, 3",
            items: [.m(0x2A53, n), .m(0x2A54, r), .o(0x2A5D, r), .o(0x2A55, w | i)]),
        .init(
            prefix: "cps", uuid: 0x1818, name: "Cycling Power", document: "CPS 1.1, 3",
            items: [.m(0x2A63, n, 1), .m(0x2A65, r), .m(0x2A5D, r), .o(0x2A66, w | i), .o(0x2A64, n)], hasValues: false),
        .init(
            prefix: "cts", uuid: 0x1805, name: "Current Time", document: "CTS 1.1, 3",
            items: [.m(0x2A2B, r, n | w), .o(0x2A0F, r, w), .o(0x2A14, r)]),
        .init(
            prefix: "ias", uuid: 0x1802, name: "Immediate Alert", document: "IAS 1.0, 3", items: [.m(0x2A06, wn)],
            hasValues: false),
        .init(
            prefix: "lls", uuid: 0x1803, name: "Link Loss", document: "LLS 1.0, 3", items: [.m(0x2A06, r | w)],
            hasValues: false),
        .init(
            prefix: "tps", uuid: 0x1804, name: "Tx Power", document: "TPS 1.0, 3", items: [.m(0x2A07, r, n)],
            hasValues: true),
        .init(
            prefix: "hids", uuid: 0x1812, name: "Human Interface Device", document: "HIDS 1.0, 2",
            items: [
                .m(0x2A4B, r), .m(0x2A4A, r), .m(0x2A4C, wn), .o(0x2A4E, r | wn), .o(0x2A4D, r, n | w | wn),
                .o(0x2A22, r | n, w), .o(0x2A32, r | w | wn), .o(0x2A33, r | n, w),
            ], isSingle: false, hasValues: false),
        .init(
            prefix: "uds", uuid: 0x181C, name: "User Data", document: "UDS 1.0, 3",
            items: [.m(0x2A99, r | w, n), .m(0x2A9A, r), .m(0x2A9F, w | i)]),
        .init(
            prefix: "ftms", uuid: 0x1826, name: "Fitness Machine", document: "FTMS 1.0, 4",
            items: [.m(0x2ACC, r), .o(0x2AD9, w | i), .o(0x2ADA, n), .o(0x2AD3, r | n)], hasValues: false),
        .init(
            prefix: "lns", uuid: 0x1819, name: "Location and Navigation", document: "LNS 1.0, 3",
            items: [.m(0x2A6A, r), .m(0x2A67, n), .o(0x2A69, r), .o(0x2A6B, w | i), .o(0x2A68, n)], hasValues: false),
        .init(
            prefix: "ess", uuid: 0x181A, name: "Environmental Sensing", document: "ESS 1.0, 3",
            items: essItems.map { .o($0, r, n | 0x80) } + [.o(0x2A7D, i)], isSingle: false, oneOf: essItems),
        .init(
            prefix: "ans", uuid: 0x1811, name: "Alert Notification", document: "ANS 1.0, 3",
            items: [.m(0x2A47, r), .m(0x2A46, n), .m(0x2A48, r), .m(0x2A45, n), .m(0x2A44, w)], hasValues: false),
        .init(
            prefix: "bms", uuid: 0x181E, name: "Bond Management", document: "BMS 1.0, 3",
            items: [.m(0x2AA5, r, i), .m(0x2AA4, w)], hasValues: false),
    ]

    private static let essItems: [BluetoothUUID] = [
        0x2A6C, 0x2A6D, 0x2A6E, 0x2A6F, 0x2A70, 0x2A71, 0x2A72, 0x2A73, 0x2A74, 0x2A75, 0x2A76, 0x2A77, 0x2A78, 0x2A79,
        0x2A7A, 0x2A7B, 0x2A2C, 0x2AA0, 0x2AA1, 0x2AA3,
    ]
}
