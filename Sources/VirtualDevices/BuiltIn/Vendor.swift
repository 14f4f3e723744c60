#if Programs
extension BuiltIn {
    /// A typical vendor-specific device: one service with a characteristic to write and one that notifies.
    static let vendor = """
        # A device with a vendor service: values written to FFF1 are sent by FFF2.
        name: Gadget FFF0
        advertise:
          interval: 150 ms
          services: [FFF0]
        services:
          - uuid: FFF0
            characteristics:
              - uuid: FFF1
                properties: [read, write, writeWithoutResponse]
                description: Command
                value: {hex: "00"}
                onWrite:
                  store: true
                  echo: true
                  on: FFF2
                  reply:
                    - {when: "01", notify: {text: "on"}}
                    - {when: "00", notify: {text: "off"}}
                    - {when: "FF", disconnect: true}
              - uuid: FFF2
                properties: [notify]
                description: Answer
        """
}
#endif
