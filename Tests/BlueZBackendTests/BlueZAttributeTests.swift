import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BlueZBackend

/// Attributes that BlueZ resolves late, never, or changes.
extension BlueZRadioTests {
    @Test("Discovery waits until BlueZ has resolved the services, for a limited time")
    func waitsForServices() async throws {
        let link = try await connect { fake in
            fake.addDevice()
            fake.answers["Connect"] = { call in
                fake.change(call.path, BlueZ.device, ["Connected": .bool(true)])
                call.respond(.success([]))
            }
        }.get()
        let early: Result<[RemoteService], RadioError> = await onLoop { _, _, done in
            link.value.discoverServices(nil, timeout: .milliseconds(20)) { done($0) }
        }
        #expect(early.failure == .timeout)
        let late: Result<[RemoteService], RadioError> = await onLoop { fake, _, done in
            link.value.discoverServices(nil, timeout: .seconds(60)) { done($0) }
            fake.change(FakeBlueZ.devicePath, BlueZ.device, ["ServicesResolved": .bool(true)])
        }
        #expect(try late.get().map(\.id.rawValue) == [0x0A])
    }

    @Test("Changed attributes are reported as removed, and the old ones fail")
    func attributesChange() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let gone: [AttributeID] = await onLoop { fake, _, done in
            let observer = ChangeObserver(done)
            link.value.observer = observer
            fake.remove(FakeBlueZ.characteristicPath)
            fake.remove(FakeBlueZ.servicePath)
            // The link holds its observer weakly.
            fake.when("ReadValue") { _ = observer }
        }
        #expect(gone == [AttributeID(rawValue: 0x0A)])
        let old: Result<[UInt8], RadioError> = await onLoop { _, _, done in
            link.value.read(Self.value, timeout: .seconds(60)) { done($0.map(\.array)) }
        }
        #expect(old.failure == .att(.invalidHandle, handle: 0))
        let new: Result<[RemoteCharacteristic], RadioError> = await onLoop { fake, _, done in
            let observer = ChangeObserver { _ in
                link.value.discoverCharacteristics(of: AttributeID(rawValue: 0x10), nil, timeout: .seconds(60)) {
                    done($0)
                }
            }
            link.value.observer = observer
            let service = FakeBlueZ.devicePath + "/service0010"
            fake.add(
                service, BlueZ.gattService,
                ["UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"), "Primary": .bool(true)])
            // BlueZ says it object by object.
            fake.add(
                service + "/char0011", BlueZ.gattCharacteristic,
                ["UUID": .string("00002a37-0000-1000-8000-00805f9b34fb"), "Flags": .strings(["read"])])
            fake.when("ReadValue") { _ = observer }
        }
        #expect(try new.get().map(\.id.rawValue) == [0x12])
    }
}

/// Tells of changed attributes.
private final class ChangeObserver: LinkObserver {
    private let changed: ([AttributeID]) -> Void

    init(_ changed: @escaping ([AttributeID]) -> Void) { self.changed = changed }

    func linkServicesChanged(_ services: [AttributeID]) { changed(services) }
    func linkDisconnected(_ error: RadioError) {}
    func linkMTUChanged(_ mtu: Int) {}
    func linkParametersChanged(_ parameters: ConnectionParameters) {}
    func linkSecurityChanged(_ security: LinkSecurity) {}
    func linkIsReadyToWriteWithoutResponse() {}
    func linkNameChanged(_ name: String) {}
}
