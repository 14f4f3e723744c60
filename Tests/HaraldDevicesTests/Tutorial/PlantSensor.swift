import HaraldDevices

struct PlantSensor: DeviceDeclaration {
    static let base: BaseUUID = "7A9B0000-52C1-4D3A-8F0E-1B2C3D4E5F60"

    struct Soil: ServiceDeclaration {
        let uuid = PlantSensor.base[0x0001]
        let moisture = Attribute<Moisture>(PlantSensor.base[0x0002])
        let power = Attribute<RawUInt8>(PlantSensor.base[0x0003])
        var turningOn: [CharacteristicWrite] { [power.set(1)] }
        var turningOff: [CharacteristicWrite] { [power.set(0)] }
    }

    let soil = Soil()
    let battery = BatteryService()
}
