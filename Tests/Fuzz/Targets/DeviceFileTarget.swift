import BluetoothModel
import VirtualDevices

extension FuzzTarget {
    /// The text of a device file or of a scene: a device that can be read is written so that it reads the same.
    static let deviceFile = FuzzTarget(
        "device-file", "device files and scenes", maximumLength: 2048,
        seeds: {
            let devices = BuiltIn.deviceNames.compactMap { try? BuiltIn.device(named: $0)?.yaml }
            return (devices.filter { $0.utf8.count <= 2048 } + scenes).map { Array($0.utf8) }
        },
        run: { (view) throws(Finding) in
            let text = String(decoding: view.unsafeBytes, as: UTF8.self)
            // A file that is named is read, wherever it is: no input may name one.
            if text.contains("file"), text.contains("/") { return }
            let document: DeviceDocument
            do throws(DeviceFileError) {
                document = try DeviceDocument(yaml: text, file: "/nowhere/fuzz.yaml")
            } catch {
                return try require(!error.description.isEmpty, "an error without a description")
            }
            switch document {
            case .device(let device): try check(device)
            case .scene(let scene): for placed in scene.devices { try check(placed.device) }
            }
        })

    private static let scenes = [
        "devices:\n  - device: heart\n    distance: 2 m\n  - device: {name: A}\n    rssi: -70\n",
        "name: x\ndevices:\n  - device: {name: B}\n    position: [1, 2, 3]\n    faults: {loss: 0.5, delay: 20 ms}\n",
        "name: &a X\nadvertise: {name: *a, manufacturer: {company: 76, data: 0215}}\nservices: []\n",
        "name: V\nservices:\n  - uuid: 180D\n    characteristics:\n"
            + "      - {uuid: 2A37, properties: [notify], notify: {every: 1 s}, value: {heartRate: 60..90}}\n",
        "name: W\nservices:\n  - uuid: 180F\n    characteristics:\n"
            + "      - {uuid: 2A19, properties: [read, write], value: u8:50, onWrite: {store: true}, description: x}\n",
    ]

    private static func check(_ device: DeviceFile) throws(Finding) {
        let text = device.yaml
        do throws(DeviceFileError) {
            let again = try DeviceFile(yaml: text, file: "again")
            let last = try DeviceFile(yaml: again.yaml, file: "last")
            if again != last { throw DeviceFileError(file: "", message: "another device: \(again.yaml)") }
            if again.yaml != text { throw DeviceFileError(file: "", message: "another text: \(again.yaml)") }
        } catch {
            throw Finding("\(text) cannot be read again: \(error)")
        }
    }
}
