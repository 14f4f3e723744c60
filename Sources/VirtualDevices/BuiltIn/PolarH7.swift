#if Programs
extension BuiltIn {
    /// A heart rate strap like the Polar H7.
    static let polarH7 = """
        # A heart rate strap like the Polar H7.
        name: Polar H7 4C1A2B
        appearance: Heart Rate Belt
        advertise:
          interval: 100 ms
          services: [180D]
          manufacturerData: {company: 0x006B, data: {hex: "33 17 00 4A"}}
          txPower: 0
        services:
          - uuid: 180D
            characteristics:
              - uuid: 2A37
                properties: [notify]
                value:
                  heartRate:
                    rate: {wave: sine, min: 64, max: 92, period: 40 s}
                    contact: true
                notifyEvery: 1 s
              - uuid: 2A38
                properties: [read]
                value: {u8: 1}            # chest
              - uuid: 2A39
                properties: [write]
                onWrite:
                  store: false
                  reply:
                    - {when: "01"}        # reset the energy expended
                    - {when: "*", error: 0x80}
          - uuid: 180F
            characteristics:
              - uuid: 2A19
                properties: [read, notify]
                value: {u8: 85}
                notifyEvery: 30 s
          - uuid: 180A
            characteristics:
              - {uuid: 2A23, properties: [read], value: {hex: "2B 1A 4C FE FF D0 22 00"}}
              - {uuid: 2A24, properties: [read], value: {text: "H7"}}
              - {uuid: 2A25, properties: [read], value: {text: "4C1A2B0017"}}
              - {uuid: 2A26, properties: [read], value: {text: "1.4.0"}}
              - {uuid: 2A27, properties: [read], value: {text: "39044024.10"}}
              - {uuid: 2A28, properties: [read], value: {text: "H7 3.1.0"}}
              - {uuid: 2A29, properties: [read], value: {text: "Polar Electro Oy"}}
              - {uuid: 2A50, properties: [read], value: [{u8: 1}, {u16: 0x006B}, {u16: 0x0011}, {u16: 0x0310}]}
        """
}
#endif
