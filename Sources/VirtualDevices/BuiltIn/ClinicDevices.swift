#if Programs
extension BuiltIn {
    /// An ear thermometer (Health Thermometer Service).
    static let thermometer = """
        name: Ear Thermometer
        appearance: Ear Thermometer
        advertise:
          services: [1809]
        services:
          - uuid: 1809
            characteristics:
              - uuid: 2A1C
                properties: [indicate]
                # degrees Celsius, with the place: the ear
                value:
                  - hex: "04"
                  - medfloat: {wave: walk, min: 36.4, max: 37.6, step: 0.1, every: 2 s}
                  - u8: 3
                notifyEvery: 2 s
              - {uuid: 2A1D, properties: [read], value: {u8: 3}}
          - uuid: 180F
            characteristics:
              - {uuid: 2A19, properties: [read], value: {u8: 62}}
        """

    /// An environmental sensor (Environmental Sensing Service).
    static let roomSensor = """
        name: Room Sensor
        appearance: Multi-Sensor
        advertise:
          interval: 500 ms
          services: [181A]
        services:
          - uuid: 181A
            characteristics:
              - uuid: 2A6E
                properties: [read, notify]
                # hundredths of a degree Celsius
                value: {i16: {wave: sine, min: 2050, max: 2290, period: 10 min}}
                notifyEvery: 5 s
              - uuid: 2A6F
                properties: [read, notify]
                # hundredths of a percent
                value: {u16: {wave: walk, min: 3800, max: 5200, step: 40, every: 5 s}}
                notifyEvery: 5 s
        """
}
#endif
