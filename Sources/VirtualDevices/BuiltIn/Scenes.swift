#if Programs
extension BuiltIn {
    /// What `virtual:` shows.
    static let defaultScene = """
        name: default
        devices:
          - {device: polar-h7, distance: 1 m}
          - {device: vendor-fff0, distance: 2.5 m}
          - {device: ibeacon, distance: 4 m}
          - {device: eddystone-url, distance: 9 m}
        """

    /// A room with the devices of a patient.
    static let clinic = """
        name: clinic
        devices:
          - {device: polar-h7, position: [1, 0.5]}
          - {device: thermometer, position: [0.8, 0, 1]}
          - {device: pulse-oximeter, distance: 1.2 m}
          - {device: room-sensor, position: [3, 2, 2], faults: {loss: 0.2}}
          - {device: vendor-fff0, distance: 5 m}
        """
}
#endif
