#if Programs
extension BuiltIn {
    /// A scene without devices.
    static let empty = """
        name: empty
        devices: []
        """

    /// The scene of the adapter `virtual:`.
    static let defaultScene = """
        name: default
        devices:
          - {device: polar-h7, distance: 1 m}
          - {device: vendor-fff0, distance: 2.5 m}
          - {device: ibeacon, distance: 4 m}
          - {device: eddystone-url, distance: 9 m}
        """

    /// The medical devices of a patient's room.
    static let clinic = """
        name: clinic
        devices:
          - {device: polar-h7, position: [1, 0.5]}
          - {device: thermometer, position: [0.8, 0, 1]}
          - {device: pulse-oximeter, distance: 1.2 m}
          - {device: room-sensor, position: [3, 2, 2], faults: {loss: 0.2}}
          - {device: vendor-fff0, distance: 5 m}
          - {device: blood-pressure, position: [1.2, 0.4]}
          - {device: glucose-meter, position: [1.4, 0.2]}
          - {device: cgm, distance: 0.6 m}
          - {device: health-scale, position: [2, 1]}
          - {device: vendor-scale, position: [2.4, 1]}
          - {device: vendor-blood-pressure, position: [1.6, 0.8]}
        """

    /// Both SensorTags.
    static let sensorTags = """
        name: sensortags
        devices:
          - {device: sensortag-cc2541, distance: 1 m}
          - {device: sensortag-cc2650, distance: 1.5 m}
        """
}
#endif
