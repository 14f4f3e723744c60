#if Programs
import Foundation
import Harald
import VirtualBluetooth

/// Reads a scene from a YAML node.
package struct SceneFileReader {
    package init() {}

    func scene(_ node: FileNode) throws(DeviceFileError) -> SceneFile {
        let mapping = try node.mapping(.scene)
        var scene = SceneFile(name: try mapping["name"]?.string("name") ?? "scene")
        for element in try mapping.required("devices").list("devices") { scene.devices.append(try device(element)) }
        return scene
    }

    /// Reads a device with its place and its faults.
    /// - Parameter more: further keys, which the caller reads.
    /// - Throws: ``DeviceFileError`` if the node, or the device file that it names, describes no valid device.
    package func device(_ node: FileNode, more: [FileKeys.Key] = []) throws(DeviceFileError) -> SceneDevice {
        let mapping = try node.mapping(FileKeys.sceneDevice.adding(more))
        var placed = SceneDevice(try self.file(mapping))
        if let name = mapping["name"] {
            placed.device.name = try DeviceFileReader().name(name)
            try AdvertisingReader().check(placed.device, advertise: nil, name: name)
        }
        if let address = mapping["address"] { placed.device.address = try address.ownAddress() }
        for characteristic in mapping["writable"]?.listOrOne() ?? [] {
            let uuid = try characteristic.uuid("a characteristic", .characteristic)
            guard placed.device.makeWritable([uuid]) else {
                throw characteristic.error("'\(placed.device.name)' has no characteristic \(uuid)")
            }
        }
        let places = ["distance", "position", "rssi"].filter { mapping[$0] != nil }
        guard places.count <= 1 else {
            throw mapping.place(of: places[1]).error("a device can have only one of 'distance', 'position' and 'rssi'")
        }
        if let distance = mapping["distance"] { placed.position = ScenePosition(x: try metres(distance)) }
        if let position = mapping["position"] { placed.position = try place(position) }
        if let rssi = mapping["rssi"] { placed.position = try place(heardAt: rssi) }
        if let faults = mapping["faults"] { placed.faults = try self.faults(faults) }
        return placed
    }

    /// Reads the device: inline, built-in, or in another file, relative to the scene's.
    private func file(_ mapping: FileMapping) throws(DeviceFileError) -> DeviceFile {
        switch (mapping["device"], mapping["file"]) {
        case (let device?, nil):
            if device.isMapping { return try DeviceFileReader().device(device) }
            let name = try device.string("a device")
            guard let known = try BuiltIn.device(named: name) else {
                let names = BuiltIn.deviceNames
                let meant = Spelling.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
                throw device.error(
                    "no device is named '\(name)'\(meant) Known: \(names.joined(separator: ", ")); "
                        + "or describe the device here, or use 'file: PATH'")
            }
            return known
        case (nil, let file?):
            let path = try file.string("a file")
            let beside = URL(fileURLWithPath: file.file).deletingLastPathComponent().appendingPathComponent(path).path
            return try DeviceFile(path: path.hasPrefix("/") ? path : beside)
        default: throw mapping.place.error("a device of a scene must have either 'device' or 'file'")
        }
    }

    private func metres(_ node: FileNode) throws(DeviceFileError) -> Double {
        let text = try node.string("a distance")
        let digits = text.hasSuffix("m") ? String(text.dropLast()) : text
        guard let value = Double(digits.filter { !$0.isWhitespace }), value >= 0, value <= 10_000 else {
            throw node.error("a distance must be in metres from 0 to 10000, such as '2.5 m', but this is '\(text)'")
        }
        return value
    }

    private func place(_ node: FileNode) throws(DeviceFileError) -> ScenePosition {
        var axes: [Double] = []
        for element in try node.list("a position") {
            axes.append(try element.number("a coordinate", in: -10_000...10_000))
        }
        guard (1...3).contains(axes.count) else {
            throw node.error("a position must be one to three numbers: [x, y, z]")
        }
        axes += Array(repeating: 0, count: 3 - axes.count)
        return ScenePosition(x: axes[0], y: axes[1], z: axes[2])
    }

    /// Returns the distance at which the listener receives this signal strength.
    private func place(heardAt node: FileNode) throws(DeviceFileError) -> ScenePosition {
        let air = AirPropagation()
        let rssi = Double(try node.integer("rssi", in: -100 ... -50))
        return ScenePosition(x: pow(10, (-air.referenceLoss - rssi) / (10 * air.exponent)))
    }

    private func faults(_ node: FileNode) throws(DeviceFileError) -> SceneFaults {
        let mapping = try node.mapping(.faults)
        var faults = SceneFaults()
        if let loss = mapping["loss"] { faults.loss = try loss.number("loss", in: 0...1) }
        if let delay = mapping["delay"] { faults.delay = try delay.duration("delay") }
        if let after = mapping["silentAfter"] { faults.silentAfter = try after.duration("silentAfter") }
        if let length = mapping["silentFor"] {
            guard faults.silentAfter != nil else {
                throw mapping.place(of: "silentFor").error("silentFor requires 'silentAfter'")
            }
            faults.silentFor = try length.duration("silentFor")
        }
        if let count = mapping["failedConnects"] {
            faults.failedConnects = try count.integer("failedConnects", in: 0...1000)
        }
        return faults
    }
}
#endif
