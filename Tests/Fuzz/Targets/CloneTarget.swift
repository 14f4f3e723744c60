import BluetoothModel
import Harald
import VirtualDevices
import Workbench

extension FuzzTarget {
    /// Devices on the virtual radio, which are cloned.
    ///
    /// Invariant: the file of the clone can be read.
    static let clone = FuzzTarget(
        "clone", "clones of devices", maximumLength: 256,
        seeds: {
            [[], [2, 0x0F, 0x18, 1, 0x19, 0x2A, 0x12, 3, 1, 2, 3, 1, 0x04, 0x29, 7, 4, 0xAD, 0x27, 1, 0, 0, 0]]
        },
        run: { (view) throws(Finding) in
            var input = FuzzInput(view)
            let device = device(&input)
            let outcome = Blocking.run { try await clone(device) }
            if case .failure(let error) = outcome { throw error as? Finding ?? Finding("\(error)") }
        })

    private static func device(_ input: inout FuzzInput) -> DeviceFile {
        var file = DeviceFile(name: "Clone")
        for _ in 0..<input.below(3) {
            var service = DeviceService(BluetoothUUID(input.uint16()))
            for _ in 0..<input.below(4) {
                let uuid = BluetoothUUID(input.uint16())
                var characteristic = DeviceCharacteristic(
                    uuid, CharacteristicProperties(rawValue: UInt16(input.uint8()) & 0x3E),
                    value: ValueTemplate(input.counted()))
                for _ in 0..<input.below(2) {
                    characteristic.descriptors.append(
                        DeviceDescriptor(BluetoothUUID(input.uint16()), value: input.counted()))
                }
                service.characteristics.append(characteristic)
            }
            file.services.append(service)
        }
        return file
    }

    private static func clone(_ device: DeviceFile) async throws {
        let scene: VirtualScene
        // A device that the library does not offer cannot be cloned.
        do throws(BluetoothError) {
            scene = try await VirtualScene(SceneFile(name: "clone", devices: [SceneDevice(device)]))
        } catch { return }
        let central = try await Central(
            adapter: scene.radio.adapter(named: "central"), options: AdapterOptions(storage: .none))
        var heard = HeardAdvertising()
        for try await found in central.scan(duplicates: true, duration: .seconds(60)) {
            heard.note(found, at: found.peripheral.clock.now)
            try await found.peripheral.connect(timeout: .seconds(30))
            var cloner = DeviceCloner()
            cloner.consents = { _ in true }
            cloner.observation = .zero
            let text = try await cloner.clone(found.peripheral, heard: heard).file.yaml
            do throws(DeviceFileError) {
                _ = try DeviceFile(yaml: text, file: "clone")
            } catch {
                throw Finding("\(text) cannot be read: \(error)")
            }
            break
        }
        await central.close()
        await scene.close()
    }
}
