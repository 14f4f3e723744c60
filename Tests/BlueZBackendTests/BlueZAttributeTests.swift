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
            // BlueZ adds the objects one by one.
            fake.add(
                service + "/char0011", BlueZ.gattCharacteristic,
                ["UUID": .string("00002a37-0000-1000-8000-00805f9b34fb"), "Flags": .strings(["read"])])
            fake.when("ReadValue") { _ = observer }
        }
        #expect(try new.get().map(\.id.rawValue) == [0x12])
    }

    @Test("Notifications continue on objects that BlueZ builds again", arguments: [true, false])
    func notificationsAreRenewed(staysResolved: Bool) async throws {
        let link = try await connect { $0.addDevice() }.get()
        let value: [UInt8] = await onLoop { fake, _, done in
            link.value.subscribe(Self.value, kind: .any, timeout: .seconds(60)) {
                done($0.array)
            } completion: { _ in
                let device = FakeBlueZ.devicePath
                if !staysResolved { fake.change(device, BlueZ.device, ["ServicesResolved": .bool(false)]) }
                Self.rebuild(fake)
                if !staysResolved { fake.change(device, BlueZ.device, ["ServicesResolved": .bool(true)]) }
            }
            fake.when("StartNotify", 2) {
                fake.change(FakeBlueZ.characteristicPath, BlueZ.gattCharacteristic, ["Value": .bytes([7])])
            }
        }
        #expect(value == [7])
        #expect(await calls("StartNotify") == 2)
    }

    @Test("A subscription that BlueZ does not renew is reported with its service")
    func lostNotificationsAreReported() async throws {
        let link = try await connect { $0.addDevice() }.get()
        let gone: [AttributeID] = await onLoop { fake, _, done in
            let observer = ChangeObserver(done)
            link.value.observer = observer
            link.value.subscribe(Self.value, kind: .any, timeout: .seconds(60)) { _ in
            } completion: { _ in
                fake.answers["StartNotify"] = { $0.respond(.failure(FakeBlueZ.abort)) }
                Self.rebuild(fake)
            }
            // The link holds its observer weakly.
            fake.when("ReadValue") { _ = observer }
        }
        #expect(gone == [AttributeID(rawValue: 0x0A)])
        #expect(await calls("StartNotify") == 3)
    }

    /// Removes the service and its characteristic, and adds the same ones again, object by object.
    private static func rebuild(_ fake: FakeBlueZ) {
        let paths = [FakeBlueZ.servicePath, FakeBlueZ.characteristicPath]
        let old = paths.map { fake.objects[$0] ?? [:] }
        for path in paths.reversed() { fake.remove(path) }
        for (path, interfaces) in zip(paths, old) {
            for (interface, properties) in interfaces { fake.add(path, interface, properties) }
        }
    }
}

/// Reports changed attributes.
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
