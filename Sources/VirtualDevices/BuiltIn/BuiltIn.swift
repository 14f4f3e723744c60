#if Programs
/// The devices and scenes that come with the library, as the text of their files.
public enum BuiltIn {
    /// Devices by name.
    public static let devices: [String: String] = [
        "polar-h7": polarH7, "vendor-fff0": vendor, "ibeacon": iBeacon, "eddystone-url": eddystone,
        "thermometer": thermometer, "room-sensor": roomSensor,
    ]

    /// Scenes by name.
    public static let scenes: [String: String] = [
        "default": defaultScene, "clinic": clinic, "sensortags": sensorTags, "empty": empty,
    ]

    /// The names of all devices, the ``Twins`` included.
    public static var deviceNames: [String] { (Array(devices.keys) + Array(Twins.all.keys)).sorted() }

    /// The scene of that name; nil for an unknown name.
    public static func scene(named name: String) throws(DeviceFileError) -> SceneFile? {
        guard let text = scenes[name] else { return nil }
        return try SceneFile(yaml: text, file: name)
    }

    /// The device of that name; nil for an unknown name.
    public static func device(named name: String) throws(DeviceFileError) -> DeviceFile? {
        if let twin = Twins.all[name] { return twin }
        guard let text = devices[name] else { return nil }
        return try DeviceFile(yaml: text, file: name)
    }
}
#endif
