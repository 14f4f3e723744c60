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

    /// The sensors and beacons of a house, which advertise their values.
    static let home = """
        name: home
        devices:
          - {device: home-bthome, distance: 2 m}
          - {device: home-door, distance: 5 m}
          - {device: home-power, distance: 6 m}
          - {device: home-ruuvi, position: [3, 1]}
          - {device: home-ruuvi-air, position: [1, 2]}
          - {device: home-pvvx, distance: 4 m}
          - {device: home-mijia, distance: 3 m}
          - {device: home-govee, distance: 7 m}
          - {device: home-inkbird, distance: 8 m}
          - {device: home-switchbot, distance: 2.5 m}
          - {device: home-tilt, distance: 6 m}
          - {device: home-scale, distance: 4 m}
          - {device: home-phone, distance: 1 m}
          - {device: ibeacon, distance: 4 m}
          - {device: eddystone-url, distance: 9 m}
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
