#if Programs
extension BuiltIn {
    /// An iBeacon without a name.
    static let iBeacon = """
        # A beacon in Apple's format: type 02, length 15, a UUID, major, minor and the power at one metre.
        name: iBeacon
        advertise:
          interval: 200 ms
          connectable: false
          name: false
          services: []
          manufacturerData:
            company: 0x004C
            data: {hex: "02 15 5A4BCFCE-174E-4BAC-A814-092E77F6B7E5 00 01 00 2A CE"}
        """

    /// An Eddystone-URL beacon.
    static let eddystone = """
        # A beacon in Google's format: frame 10 (URL), the power at 0 m, "https://", "example", ".org/".
        name: Eddystone
        advertise:
          interval: 300 ms
          connectable: false
          name: false
          services: [FEAA]
          serviceData:
            service: FEAA
            data: [{hex: "10 F7 03"}, {text: "example"}, {hex: "01"}]
        """
}
#endif
