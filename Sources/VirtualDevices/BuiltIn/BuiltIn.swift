#if Programs
/// The built-in devices and scenes, as the text of their files.
public enum BuiltIn {
    /// The devices by name.
    public static let devices: [String: String] = [
        "polar-h7": polarH7, "vendor-fff0": vendor, "ibeacon": iBeacon, "eddystone-url": eddystone,
        "thermometer": thermometer, "room-sensor": roomSensor,
    ]

    /// The scenes by name.
    public static let scenes: [String: String] = [
        "default": defaultScene, "clinic": clinic, "sensortags": sensorTags, "home": home,
        "empty": empty,
    ]

    /// The names of all devices, including those of ``Twins``.
    public static var deviceNames: [String] { (Array(devices.keys) + Twins.all.keys + HomeTwins.all.keys).sorted() }

    /// Returns a scene by name; nil if unknown.
    /// - Throws: ``DeviceFileError`` if the text of the scene is invalid.
    public static func scene(named name: String) throws(DeviceFileError) -> SceneFile? {
        guard let text = scenes[name] else { return nil }
        return try SceneFile(yaml: text, file: name)
    }

    /// Returns a device by name; nil if unknown.
    /// - Throws: ``DeviceFileError`` if the text of the device is invalid.
    public static func device(named name: String) throws(DeviceFileError) -> DeviceFile? {
        if let twin = Twins.all[name] ?? HomeTwins.all[name] { return twin }
        guard let text = devices[name] else { return nil }
        return try DeviceFile(yaml: text, file: name)
    }
}
#endif
